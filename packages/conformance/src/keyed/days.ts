/** The groups of a family whose keys restart: each day, month or year begins by the clocks of the zone. */
export interface FamilyGroup {
  readonly by: 'day' | 'month' | 'year';
  /** An offset from UTC, such as `+08:00` or `-03:30:15`. */
  readonly timeZone: string;
}

/** How many ids a group has, plus one, and how many digits its date has. */
export const UNITS = {
  day: { capacity: 1e8, digits: 8 },
  month: { capacity: 1e10, digits: 6 },
  year: { capacity: 1e12, digits: 4 },
} as const;

export const DAY_MS = 86_400_000;

/** An offset in which a day begins so many seconds after `now`, or up to one earlier. */
export function zoneWithMidnightIn(
  seconds: number,
  now: number,
): { readonly timeZone: string; readonly offsetMs: number } {
  const untilMidnight = 86_400 - (Math.floor(now / 1_000) % 86_400) - seconds;
  const offset = untilMidnight > 43_200 ? untilMidnight - 86_400 : untilMidnight;
  const distance = Math.abs(offset);
  const parts = [distance / 3_600, (distance / 60) % 60, distance % 60];
  const clock = parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':');
  return { timeZone: `${offset < 0 ? '-' : '+'}${clock}`, offsetMs: offset * 1_000 };
}

/** The id before the first one of the group at an instant. */
export function baseAt({ by }: FamilyGroup, at: number, offsetMs: number): number {
  const { capacity, digits } = UNITS[by];
  const date = new Date(at + offsetMs).toISOString().slice(0, 10).replaceAll('-', '');
  return Number(date.slice(0, digits)) * capacity;
}
