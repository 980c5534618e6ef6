import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { assertYearOptions, type YearOptions, yearOf } from './document-year.js';
import { type Piece, piecesOf, templateError } from './number-template.js';

export interface NumberFormatOptions extends YearOptions {
  /**
   * `INV-{yyyy}-{00000}`: the year of the document, and its number with leading zeros. `{n}` is a number
   * without them. Everything else is printable ASCII and stands for itself.
   */
  readonly format: string;
  /**
   * Whether strings sort like the year and the number; default true. Such a format has a fixed width, and the
   * year before the number.
   */
  readonly sortable?: boolean | undefined;
}

/** What a string of a format says. */
export interface ParsedNumber {
  readonly number: number;
  /** Absent if the format has no year. */
  readonly year?: number;
}

/** Writes numbers as people read them, and reads them back. */
export interface NumberFormat {
  readonly sortable: boolean;
  /** Matches the whole of every string. */
  readonly pattern: RegExp;
  /** The greatest number that it can write: 99999 with `{00000}`, and 2^53 - 1 at most. */
  readonly last: number;
  /** Which group of `pattern` is the number, and which is the year; 0 without a year. */
  readonly groups: { readonly number: number; readonly year: number };
  /**
   * `date` is that of the document, `2026-12-31`, and may be left out if the format has no year. Throws
   * `ERR_IDS_EXHAUSTED` if the number has more digits than the format, a `RangeError` unless it is a whole
   * number from 1 to 2^53 - 1, and a `TypeError` for anything that is no date.
   */
  format(number: number, date?: string): string;
  /**
   * Throws a `SyntaxError` for what `format` does not return, and a `TypeError` unless `text` is a string.
   */
  parse(text: string): ParsedNumber;
  /**
   * The key of a sequence that starts again each year: `acme/2026`. By the date of the document, so that an
   * invoice of December that is written in January continues December's. Throws `ERR_IDS_CONFIG` if the
   * format has no year, since strings would repeat.
   */
  keyOf(key: string, date: string): string;
}

/** Throws `ERR_IDS_CONFIG` if a format cannot be parsed back, or is not sortable as claimed. */
export function createNumberFormat(options: NumberFormatOptions): NumberFormat {
  const { format: template, sortable = true } = options;
  const pieces = piecesOf(template);
  assertYearOptions(options);
  const why = unsortable(pieces);
  if (sortable && why !== undefined) {
    throw templateError(`strings of ${formatValue(template)} do not sort: ${why}, or set "sortable": false`);
  }
  const pattern = new RegExp(`^${pieces.map(patternOf).join('')}$`);
  const fields = pieces.filter(({ kind }) => kind !== 'text').map(({ kind }) => kind);
  const groups = { number: fields.indexOf('number') + 1, year: fields.indexOf('year') + 1 };
  const hasYear = groups.year > 0;
  return {
    sortable: why === undefined,
    pattern,
    last: lastOf(pieces),
    groups,
    format(number, date) {
      const year = hasYear ? yearOf(date as string, options) : 0;
      return pieces.map((piece) => written(piece, number, year)).join('');
    },
    parse(text) {
      if (typeof text !== 'string') throw new TypeError(`parse: must be a string, got ${formatValue(text)}`);
      const found = pattern.exec(text) ?? [];
      const number = Number(found[groups.number]);
      const year = Number(found[groups.year]);
      if (!isNumber(number) || (hasYear && year === 0)) {
        throw new SyntaxError(`${formatValue(text)} is not of the format ${formatValue(template)}`);
      }
      return hasYear ? { number, year } : { number };
    },
    keyOf(key, date) {
      if (!hasYear) {
        throw templateError(`${formatValue(template)} has no {yyyy}, so strings would repeat each year`);
      }
      return key === '' ? String(yearOf(date, options)) : `${key}/${yearOf(date, options)}`;
    },
  };
}

function isNumber(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 1;
}

function lastOf(pieces: readonly Piece[]): number {
  const number = pieces.find(({ kind }) => kind === 'number');
  const width = number?.kind === 'number' ? number.width : undefined;
  return width === undefined ? Number.MAX_SAFE_INTEGER : Math.min(10 ** width - 1, Number.MAX_SAFE_INTEGER);
}

/** Why strings do not sort like the year and the number; undefined if they do. */
function unsortable(pieces: readonly Piece[]): string | undefined {
  const number = pieces.findIndex(({ kind }) => kind === 'number');
  const piece = pieces[number];
  if (piece?.kind === 'number' && piece.width === undefined)
    return 'give the number a fixed width, as in {00000}';
  return pieces.findIndex(({ kind }) => kind === 'year') > number
    ? 'put {yyyy} before the number'
    : undefined;
}

function patternOf(piece: Piece): string {
  if (piece.kind === 'text') return piece.text.replace(/[\\^$.*+?()[\]|]/g, '\\$&');
  if (piece.kind === 'year') return '([0-9]{4})';
  return piece.width === undefined ? '([1-9][0-9]{0,15})' : `([0-9]{${piece.width}})`;
}

function written(piece: Piece, number: number, year: number): string {
  if (piece.kind === 'text') return piece.text;
  if (piece.kind === 'year') return String(year).padStart(4, '0');
  if (!isNumber(number)) {
    throw new RangeError(`number must be a whole number from 1 to 2^53 - 1, got ${formatValue(number)}`);
  }
  const digits = String(number);
  if (piece.width !== undefined && digits.length > piece.width) {
    throw new IdError(
      'ERR_IDS_EXHAUSTED',
      `number format: ${number} has ${digits.length} digits, more than the ${piece.width} of the format: choose a longer one for the next year`,
    );
  }
  return digits.padStart(piece.width ?? 1, '0');
}
