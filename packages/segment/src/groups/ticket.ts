import { formatValue } from '@ids/core/strategy';
import { GROUP_CAPACITY, type GroupUnit, isGroupUnit } from './sequence-group.js';

export interface TicketOptions {
  /** The unit of the sequence's groups; default `day`. */
  readonly by?: GroupUnit;
}

export interface TicketFormat extends TicketOptions {
  /**
   * Digits of the number, 1 to 12, padded with zeros; default 6. A number with more digits is not cut off,
   * but then tickets do not sort as strings.
   */
  readonly width?: number;
}

export interface ParsedTicket {
  /** The date of the group: `20261121`, `202611` or `2026`. */
  readonly group: string;
  /** The number in it, from 1. */
  readonly number: number;
}

/** Formats an id of a sequence with groups: `20261121-000042`. Throws a `RangeError` for any other value. */
export function formatTicket(
  id: number | bigint | string,
  { width = 6, ...options }: TicketFormat = {},
): string {
  if (!Number.isInteger(width) || width < 1 || width > 12) {
    throw new RangeError(`width must be a whole number from 1 to 12, got ${formatValue(width)}`);
  }
  const { group, number } = parseTicket(id, options);
  return `${group}-${String(number).padStart(width, '0')}`;
}

/** The two parts of an id of a sequence with groups. Throws a `RangeError` for any other value. */
export function parseTicket(id: number | bigint | string, { by = 'day' }: TicketOptions = {}): ParsedTicket {
  if (!isGroupUnit(by)) throw new RangeError(`by must be "day", "month" or "year", got ${formatValue(by)}`);
  const value = Number(id);
  const capacity = GROUP_CAPACITY[by];
  const group = String(Math.floor(value / capacity));
  const number = value % capacity;
  const exact = Number.isSafeInteger(value) && String(value) === String(id);
  if (!exact || number === 0 || !isDate(group, by)) {
    throw new RangeError(`${formatValue(id)} is not an id of a sequence with groups by ${by}`);
  }
  return { group, number };
}

const DATES: Readonly<Record<GroupUnit, RegExp>> = {
  day: /^[1-9]\d{3}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/,
  month: /^[1-9]\d{3}(0[1-9]|1[0-2])$/,
  year: /^[1-9]\d{3}$/,
};

function isDate(group: string, by: GroupUnit): boolean {
  return DATES[by].test(group);
}
