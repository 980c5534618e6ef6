import { formatValue } from '@ids/core/strategy';
import { templateError } from './number-template.js';

/** Which year a document belongs to. */
export interface YearOptions {
  /** The first month of the fiscal year, 1 to 12; default 1, the calendar year. */
  readonly yearStartsIn?: number | undefined;
  /**
   * A fiscal year that spans two calendar years has the name of its first or its last one; default `start`.
   */
  readonly yearNamedAfter?: 'start' | 'end' | undefined;
}

/** Throws `ERR_IDS_CONFIG` unless the options are valid. */
export function assertYearOptions({ yearStartsIn = 1, yearNamedAfter = 'start' }: YearOptions): void {
  if (!Number.isInteger(yearStartsIn) || yearStartsIn < 1 || yearStartsIn > 12) {
    throw templateError(
      `option "yearStartsIn": must be a month from 1 to 12, got ${formatValue(yearStartsIn)}`,
    );
  }
  if (yearNamedAfter !== 'start' && yearNamedAfter !== 'end') {
    throw templateError(
      `option "yearNamedAfter": must be "start" or "end", got ${formatValue(yearNamedAfter)}`,
    );
  }
}

/**
 * The year of a document by its date, `2026-12-31`. Throws a `TypeError` for anything that is no such date.
 */
export function yearOf(date: string, { yearStartsIn = 1, yearNamedAfter = 'start' }: YearOptions): number {
  const [, year, month] = DATE.exec(typeof date === 'string' ? date : '') ?? [];
  if (year === undefined || !isDay(date)) {
    const hint =
      (date as unknown) instanceof Date
        ? 'a Date, whose day depends on a time zone: the document has a date of its own'
        : formatValue(date);
    throw new TypeError(`the date of the document must be a day such as "2026-12-31", got ${hint}`);
  }
  const begun = Number(month) >= yearStartsIn ? Number(year) : Number(year) - 1;
  const named = yearStartsIn > 1 && yearNamedAfter === 'end' ? begun + 1 : begun;
  if (named < 1 || named > LAST_YEAR)
    throw new TypeError(`the year of ${date} is not one of 1 to ${LAST_YEAR}`);
  return named;
}

const LAST_YEAR = 9_999;

const DATE = /^([0-9]{4})-([0-9]{2})-[0-9]{2}$/;

/** Whether there is such a day: the 31st of April becomes another one. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(date);
}
