const FIXED_OFFSET = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/;

/** The clocks of a time zone by the tables of the platform, which are not those of Postgres. */
export class LocalTime {
  readonly #format: (atMs: number) => string;

  /** Throws a `RangeError` for a zone that the platform does not know. */
  constructor(timeZone: string) {
    this.#format = fixedOffset(timeZone) ?? tableOf(timeZone);
  }

  /** What clocks show at an instant, to the second: `2026-11-21 23:59:59`. */
  at(atMs: number): string {
    return this.#format(atMs);
  }

  /** The date at an instant, as `20261121`. */
  dateAt(atMs: number): string {
    return this.at(atMs).slice(0, 10).replaceAll('-', '');
  }

  /** How far clocks are ahead of UTC at an instant that is a whole second, in milliseconds. */
  offsetAt(atMs: number): number {
    return Date.parse(`${this.at(atMs).replace(' ', 'T')}Z`) - atMs;
  }
}

function fixedOffset(timeZone: string): ((atMs: number) => string) | undefined {
  const fixed = FIXED_OFFSET.exec(timeZone);
  if (fixed === null) return undefined;
  const [, sign, hours, minutes, seconds = '0'] = fixed;
  const distance = 1000 * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
  const offset = sign === '-' ? -distance : distance;
  return (atMs) => new Date(atMs + offset).toISOString().slice(0, 19).replace('T', ' ');
}

/** Kept, since to make one takes as long as to use it a hundred times. */
const tables = new Map<string, Intl.DateTimeFormat>();

function tableOf(timeZone: string): (atMs: number) => string {
  const table =
    tables.get(timeZone) ??
    new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  tables.set(timeZone, table);
  return (atMs) => table.format(atMs);
}
