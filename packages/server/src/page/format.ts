const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const few = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** `12,345`, and `1.2B` for what is too long to read. */
export function count(value: number): string {
  return value < 1_000_000_000 ? whole.format(value) : compact.format(value);
}

export function rate(perSecond: number): string {
  return perSecond < 10 ? few.format(perSecond) : count(perSecond);
}

/** `03:12:07`, with the day unless it is today. */
export function time(at: Date, now: Date): string {
  const text = clock.format(at);
  return day.format(at) === day.format(now) ? text : `${day.format(at)}, ${text}`;
}

export function date(at: Date): string {
  return day.format(at);
}

const UNITS = [
  [86_400 * 365, 'year'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** `2 minutes`: the greatest unit that fits, cut off. */
export function duration(seconds: number): string {
  const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, 'second'];
  const units = Math.max(0, Math.floor(seconds / size));
  return `${count(units)} ${unit}${units === 1 ? '' : 's'}`;
}

export function ago(at: Date, now: Date): string {
  const seconds = (now.getTime() - at.getTime()) / 1_000;
  return seconds < 1 ? 'just now' : `${duration(seconds)} ago`;
}

/** A character that has no picture, or changes the direction or the form of others. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

function escaped(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}

/** A name of somebody else's choice, with all of its characters to be seen. */
export function visible(name: string): string {
  return name.replace(INVISIBLE, escaped);
}

/** A name as one word of a command line of bash, whatever is in it. */
export function inShell(name: string): string {
  if (/^\w[\w.:-]*$/.test(name)) return name;
  if (visible(name) === name) return `'${name.replaceAll("'", "'\\''")}'`;
  return `$'${visible(name.replace(/[\\']/g, '\\$&'))}'`;
}
