/**
 * An offset from UTC, such as `+08:00:15`, in which a day ends so many seconds after `now`, or up to one
 * earlier: for tests of what begins anew each day. Servers that tests start have the clock of this process.
 */
export function offsetWithMidnightIn(seconds: number, now = Date.now()): string {
  const untilMidnight = 86_400 - (Math.floor(now / 1_000) % 86_400) - seconds;
  const offset = untilMidnight > 43_200 ? untilMidnight - 86_400 : untilMidnight;
  const distance = Math.abs(offset);
  const parts = [distance / 3_600, (distance / 60) % 60, distance % 60];
  const clock = parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':');
  return `${offset < 0 ? '-' : '+'}${clock}`;
}
