import { LocalTime } from './local-time.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

/**
 * The end of one day, month or year of a zone, near an instant at which its clocks are set forward or back.
 */
export interface GroupEnd {
  readonly timeZone: string;
  readonly by: 'day' | 'month' | 'year';
  /** An id of the group. */
  readonly maxId: number;
  /** The first instant, to the minute, with a later date. */
  readonly endMs: number;
  /**
   * Instants around the end and the shift, at which to compare the tables of Postgres
   * with those of the platform.
   */
  readonly probes: readonly number[];
}

/** The ends of the days, and of the months and years that end with them, next to each shift of a year. */
export function groupEndsNearShifts(timeZone: string, year: number): GroupEnd[] {
  const clocks = new LocalTime(timeZone);
  return shiftsOf(clocks, year).flatMap((shift) => {
    const instants = [shift - DAY, shift - MINUTE, shift, shift + DAY];
    const dates = new Set(instants.map((instant) => clocks.dateAt(instant)));
    return [...dates].flatMap((date) => groupEnds(timeZone, clocks, date, shift));
  });
}

/**
 * The instants of a year, to the minute, at which the offset of a zone changes: looked for
 * weekly, then by bisection.
 */
function shiftsOf(clocks: LocalTime, year: number): number[] {
  const shifts: number[] = [];
  const end = Date.UTC(year + 1, 0);
  for (let from = Date.UTC(year, 0); from < end; from += 7 * DAY) {
    const offset = clocks.offsetAt(from);
    let [before, after] = [from, Math.min(from + 7 * DAY, end)];
    if (clocks.offsetAt(after) === offset) continue;
    while (after - before > MINUTE) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE) * MINUTE;
      if (clocks.offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    shifts.push(after);
  }
  return shifts;
}

function groupEnds(timeZone: string, clocks: LocalTime, date: string, shift: number): GroupEnd[] {
  const endMs = endOfDay(clocks, date);
  const next = clocks.dateAt(endMs);
  const common = { timeZone, endMs, probes: [shift - MINUTE, shift, endMs - MINUTE, endMs] };
  const ends: GroupEnd[] = [{ ...common, by: 'day', maxId: Number(date) * 1e8 + 7 }];
  if (next.slice(0, 6) !== date.slice(0, 6)) {
    ends.push({ ...common, by: 'month', maxId: Number(date.slice(0, 6)) * 1e10 + 7 });
  }
  if (next.slice(0, 4) !== date.slice(0, 4)) {
    ends.push({ ...common, by: 'year', maxId: Number(date.slice(0, 4)) * 1e12 + 7 });
  }
  return ends;
}

/** Minute by minute, from before the first instant that can be it. */
function endOfDay(clocks: LocalTime, date: string): number {
  const midnight = Date.UTC(
    Number(date.slice(0, 4)),
    Number(date.slice(4, 6)) - 1,
    Number(date.slice(6)) + 1,
  );
  const offsets = [midnight - DAY, midnight, midnight + DAY].map((instant) => clocks.offsetAt(instant));
  let minute = midnight - Math.max(...offsets) - 90 * MINUTE;
  if (clocks.dateAt(minute) > date) throw new Error(`${date} is over before it is looked for`);
  while (clocks.dateAt(minute) <= date) minute += MINUTE;
  return minute;
}
