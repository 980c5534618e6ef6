import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';

/**
 * A sequence that restarts at 1 in each day, month or year. Its ids have 16 digits: the date of the group,
 * then the number in it. So they increase across groups, like those of any other sequence: 2026112100000042
 * is number 42 of 2026-11-21, 2026110000000042 of November, 2026000000000042 of the year. This works until
 * the year 9006.
 */
export interface SequenceGroup {
  readonly by: GroupUnit;
  /**
   * Defines when the day begins: a name of the tz database (`Asia/Shanghai`) or a fixed offset, positive to
   * the east of Greenwich (`+08:00`, `-03:30`, seconds allowed). The POSIX form is rejected, because its sign
   * is the opposite: `UTC+8` is west.
   */
  readonly timeZone: string;
}

export type GroupUnit = 'day' | 'month' | 'year';

/** How many ids a group has, plus one: a day has the numbers 1 to 99,999,999. */
export const GROUP_CAPACITY: Readonly<Record<GroupUnit, number>> = { day: 1e8, month: 1e10, year: 1e12 };

const FIXED_OFFSET = /^[+-](0\d|1[0-4]):[0-5]\d(:[0-5]\d)?$/;
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** What is wrong with a value that should be a `SequenceGroup`; undefined if it is one. */
export function groupProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) {
    return `must be { by, timeZone }, got ${formatValue(value)}`;
  }
  const { by, timeZone } = value as Partial<SequenceGroup>;
  if (!isGroupUnit(by)) return `"by" must be "day", "month" or "year", got ${formatValue(by)}`;
  if (isTimeZone(timeZone)) return undefined;
  return `"timeZone" must be a name such as "Asia/Shanghai" or an offset such as "+08:00", got ${formatValue(timeZone)}`;
}

export function isGroupUnit(value: unknown): value is GroupUnit {
  return typeof value === 'string' && Object.hasOwn(GROUP_CAPACITY, value);
}

export function isFixedOffset(timeZone: string): boolean {
  return FIXED_OFFSET.test(timeZone);
}

/** The error for a sequence whose groups are not the requested ones; undefined if they are. */
export function groupsDiffer(
  name: string,
  actual: SequenceGroup | undefined,
  wanted: SequenceGroup | undefined,
): IdError | undefined {
  if (actual?.by === wanted?.by && actual?.timeZone === wanted?.timeZone) return undefined;
  return new IdError(
    'ERR_IDS_CONFIG',
    `sequence ${JSON.stringify(name)} has ${describeGroup(actual)}, but ${describeGroup(wanted)} are asked for`,
  );
}

function describeGroup(group: SequenceGroup | undefined): string {
  return group === undefined ? 'no groups' : `groups by ${group.by} in ${group.timeZone}`;
}

function isTimeZone(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  if (isFixedOffset(value)) return true;
  if (!ZONE_NAME.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) !== undefined;
  } catch {
    return false;
  }
}
