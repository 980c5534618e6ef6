import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import {
  assertSequenceName,
  type Row,
  readWholeNumber,
  type SqlExecutor,
  type TableOptions,
} from '@ids/store';
import { seriesDialectOf } from './any-dialect.js';
import {
  assertAllRows,
  assertDocuments,
  assertNumbers,
  type Documents,
  isOneToOne,
} from './table/documents.js';
import { DEFAULT_NUMBER_TABLE, seriesTableOf } from './table/names.js';
import { readerOf } from './table/reader.js';

export interface GapOptions extends TableOptions {
  /**
   * The series that issues the numbers. With it, the audit also finds numbers that were issued but are in no
   * row, after the last row too, and rows above the last issued number, whose numbers will be issued again.
   */
  readonly series?: string | undefined;
  /**
   * The first number of each key, from 0 to 2^53 - 1; default 1. Lower numbers are ignored. `lowest`: each
   * key starts at its lowest number.
   */
  readonly start?: number | 'lowest' | undefined;
  /** The most findings that are returned, 1 to 1,000,000; default 1,000. */
  readonly limit?: number | undefined;
}

/** Numbers of one key that are not as they should be, from `first` to `last`, both inclusive. */
export interface Finding {
  /** As the key column has it, as text; empty without one. */
  readonly key: string;
  /**
   * `missing`: no row has them. `repeated`: several rows have this one. `not-issued`: the series has not
   * issued them yet, but some or all of them are in rows already.
   */
  readonly kind: 'missing' | 'repeated' | 'not-issued';
  readonly first: number;
  readonly last: number;
}

export interface GapReport {
  /** By key and number. */
  readonly findings: readonly Finding[];
  /** Whether there are more than `limit`. */
  readonly more: boolean;
}

/**
 * Looks for missing and repeated numbers in a table of yours. It only reads. A unique index on the key and
 * the number makes it fast. Rejects with `ERR_IDS_CONFIG` if a string is not of the format, if there is none
 * for a column that is not numeric, and if row-level security may hide rows.
 */
export async function findGaps(
  executor: SqlExecutor,
  documents: Documents,
  options: GapOptions = {},
): Promise<GapReport> {
  const { series, table = DEFAULT_NUMBER_TABLE, start = 1, limit = 1_000 } = options;
  assertDocuments(documents);
  if (series !== undefined) assertSequenceName(series);
  seriesTableOf(table);
  if (start !== 'lowest' && !(Number.isSafeInteger(start) && start >= 0)) {
    throw wrong('start', 'a whole number from 0 to 2^53 - 1, or "lowest"', start);
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000) {
    throw wrong('limit', 'a whole number from 1 to 1000000', limit);
  }
  const { gaps } = seriesDialectOf(executor);
  const { mismatchStatement, uniqueStatement, stepsStatement, endsStatement } = gaps;
  const run = readerOf(executor, `audit of ${documents.table}`);
  assertNumbers(documents, (await run(mismatchStatement(documents)))[0]);
  const most = limit + 1;
  const unique = isOneToOne(documents) && (await run(uniqueStatement(documents))).length > 0;
  const rows = await run(stepsStatement(documents, { start, unique }, most));
  if (series !== undefined)
    rows.push(...(await run(endsStatement(documents, { series, table, start }, most))));
  await assertAllRows(run, gaps, documents);
  const findings = rows.map(readFinding).sort(inOrder);
  return { findings: findings.slice(0, limit), more: findings.length > limit };
}

/** `hexKey`: on SQLite, of a key that is in no row of yours. */
function readFinding({ key, hexKey, kind, first, last }: Row): Finding {
  return {
    key: key === null ? Buffer.from(String(hexKey), 'hex').toString() : String(key),
    kind: kind as Finding['kind'],
    first: readWholeNumber(first, 'number'),
    last: readWholeNumber(last, 'number'),
  };
}

function inOrder(a: Finding, b: Finding): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : a.first - b.first;
}

function wrong(option: string, rule: string, value: unknown): IdError {
  return new IdError('ERR_IDS_CONFIG', `option "${option}": must be ${rule}, got ${formatValue(value)}`);
}
