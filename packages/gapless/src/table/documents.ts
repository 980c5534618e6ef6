import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { isTableName, type Row } from '@ids/store';
import { hasCode } from '../failure-codes.js';

/** Where numbers stand in strings: `createNumberFormat` of `@ids/encode` returns one. */
export interface NumberPattern {
  /** Matches the whole of every string. */
  readonly pattern: RegExp;
  /** Which group of `pattern` is the number, and which is the year; 0 without a year. */
  readonly groups: { readonly number: number; readonly year: number };
}

/** A table of yours whose rows have numbers. */
export interface Documents {
  /** `table` or `schema.table`, as the database spells it. */
  readonly table: string;
  /** The column with the numbers: of a numeric type, or strings of `format`. */
  readonly column: string;
  /**
   * The column whose value, as text, is the key. Without it, all rows have one key, the empty one. Rows
   * without a value are left out.
   */
  readonly keyColumn?: string | undefined;
  readonly format?: NumberPattern | undefined;
  /** Whether numbers start again each year: keys are those of `keyOf`. Needs a `format` with a year. */
  readonly perYear?: boolean | undefined;
}

/** What the ends of keys are compared with. */
export interface SeriesEnds {
  readonly series: string;
  /** The table of the numbers. */
  readonly table: string;
  readonly start: number | 'lowest';
}

export interface StepOptions {
  readonly start: number | 'lowest';
  /** Whether an index keeps a number of a key from being repeated. */
  readonly unique: boolean;
}

/** The statements of an audit, in SQL of one database. */
export interface GapStatements {
  /** Fails with a lack of rights if rows may be hidden. Absent where none can be. */
  allRowsStatement?(documents: Documents): string;
  /**
   * How many strings are not of the format, and one of them: `wrong`, `example`. Without a format, whether
   * the column is of another type than a number, and which: the highest string would be "9", not "12".
   */
  mismatchStatement(documents: Documents): string;
  uniqueStatement(documents: Documents): string;
  stepsStatement(documents: Documents, options: StepOptions, most: number): string;
  endsStatement(documents: Documents, ends: SeriesEnds, most: number): string;
}

/** Whether a unique string, or a unique number, is a unique number of its key. */
export function isOneToOne({ format, perYear = false }: Documents): boolean {
  return format === undefined || format.groups.year === 0 || perYear;
}

const COLUMN = /^[A-Za-z_][A-Za-z0-9_$]{0,62}$/;

/** Throws `ERR_IDS_CONFIG` for names that would have to be escaped, and for years that are in no string. */
export function assertDocuments({ table, column, keyColumn, format, perYear = false }: Documents): void {
  if (!isTableName(table)) throw wrong('table', 'a table name with an optional schema before a dot', table);
  for (const [option, value] of Object.entries({ column, keyColumn })) {
    if (option === 'keyColumn' && value === undefined) continue;
    if (typeof value !== 'string' || !COLUMN.test(value)) {
      throw wrong(option, 'a letter or _ and then up to 62 letters, digits, _ or $', value);
    }
  }
  if (perYear && !format?.groups.year)
    throw wrong('perYear', 'false without a "format" that has a year', perYear);
}

function wrong(option: string, rule: string, value: unknown): IdError {
  return new IdError('ERR_IDS_CONFIG', `option "${option}": must be ${rule}, got ${formatValue(value)}`);
}

/** Throws `ERR_IDS_CONFIG` for what `mismatchStatement` has found. */
export function assertNumbers({ table, column, format }: Documents, row: Row | undefined): void {
  const { wrong, example } = row ?? {};
  if (wrong === '0') return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    format === undefined
      ? `${table}.${column}: ${String(example)} does not sort like a number: name the option "format", such as "{n}" for digits or "INV-{00000}", or a column of a numeric type`
      : `${table}.${column}: ${String(wrong)} values do not match ${String(format.pattern)}, such as ${formatValue(example)}; name a format that all of them have, or correct them`,
  );
}

/**
 * Throws `ERR_IDS_CONFIG` if rows may be hidden from this role, whose numbers would be taken for free ones.
 * It comes after the rows were read, when no other right can lack.
 */
export async function assertAllRows(
  run: (text: string) => Promise<unknown>,
  { allRowsStatement }: GapStatements,
  documents: Documents,
): Promise<void> {
  if (allRowsStatement === undefined) return;
  try {
    await run(allRowsStatement(documents));
  } catch (error) {
    if (!hasCode(error, '42501')) throw error;
    const { table, column } = documents;
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${table}.${column}: row-level security may hide rows from this role, so its numbers are not known: run this as the owner of the table or as a role with BYPASSRLS`,
      { cause: error },
    );
  }
}
