import { assertKey } from '@ids/keyed';
import {
  assertIdBound,
  assertSequenceName,
  type LackingRights,
  type ReignChange,
  readWholeNumber,
  type SqlExecutor,
  type TableOptions,
} from '@ids/store';
import { seriesDialectOf } from './any-dialect.js';
import type { Seeded } from './seed-within.js';
import { assertAllRows, assertDocuments, assertNumbers, type Documents } from './table/documents.js';
import { DEFAULT_NUMBER_TABLE } from './table/names.js';
import { readerOf } from './table/reader.js';

export interface DescribeSeriesOptions extends TableOptions {
  /** The last number that a key can have, as the format of its strings says; default 2^53 - 1. */
  readonly last?: number | undefined;
}

export interface SeriesState extends Seeded {
  /**
   * How many keys are used up: at `last`, or so close to 2^53 - 1 that somebody must have set them. Nobody
   * counts as far as the last billion.
   */
  readonly usedUp: number;
}

const NOT_COUNTED = 1_000_000_000;

/**
 * Reads how many keys of a series have numbers, and the highest of these numbers, 0 if there are none; also
 * how many keys are used up. Undefined if there is no such series.
 */
export async function describeSeries(
  executor: SqlExecutor,
  name: string,
  { table = DEFAULT_NUMBER_TABLE, last = LAST_NUMBER }: DescribeSeriesOptions = {},
): Promise<SeriesState | undefined> {
  assertSequenceName(name);
  assertIdBound('last', last);
  const read = readerOf(executor, `series ${JSON.stringify(name)} in ${table}`);
  const end = Math.min(last, LAST_NUMBER - NOT_COUNTED);
  const [row] = await read(seriesDialectOf(executor).seriesStatement(name, table, end));
  if (row?.known === '0') return undefined;
  return { ...seededOf(row), usedUp: readWholeNumber(row?.used_up, 'used_up') };
}

/**
 * Finds keys of a series that have numbers: `key` first, if it is one of them, and then the first 5 others
 * that begin like it, up to its first "/".
 */
export async function findKeys(
  executor: SqlExecutor,
  name: string,
  key: string,
  { table = DEFAULT_NUMBER_TABLE }: TableOptions = {},
): Promise<string[]> {
  assertSequenceName(name);
  assertKey(key);
  const read = readerOf(executor, `series ${JSON.stringify(name)} in ${table}`);
  const prefix = key.split('/', 1)[0] ?? '';
  const rows = await read(seriesDialectOf(executor).keysStatement(name, table, key, prefix, 1 + SIMILAR));
  const keys = rows.map((row) => Buffer.from(String(row.key), 'hex').toString());
  return keys[0] === key ? keys : keys.slice(0, SIMILAR);
}

const SIMILAR = 5;

const LAST_NUMBER = Number.MAX_SAFE_INTEGER;

/**
 * What happened to the database since a series was created or accepted, as `afterFailover` and `afterRestore`
 * mean it: that of the two for which `nextWithin` is refused if it is to be. Undefined if nothing is known to
 * have happened, and without such a series.
 */
export async function findSeriesChange(
  executor: SqlExecutor,
  name: string,
  { table = DEFAULT_NUMBER_TABLE }: TableOptions = {},
): Promise<ReignChange | undefined> {
  assertSequenceName(name);
  return await seriesDialectOf(executor).findChange(executor, name, table);
}

/**
 * Counts the keys for which a table of yours has higher numbers than the series has issued, and finds the
 * highest of these numbers. 0 keys: the series can continue. It only reads, so others may write meanwhile.
 * The tables of the series need not exist. Rejects with `ERR_IDS_CONFIG` like `findGaps`.
 */
export async function findUnseeded(
  executor: SqlExecutor,
  name: string,
  documents: Documents,
  { table = DEFAULT_NUMBER_TABLE }: TableOptions = {},
): Promise<Seeded> {
  assertSequenceName(name);
  assertDocuments(documents);
  const { gaps, missing, unseededStatement } = seriesDialectOf(executor);
  const read = readerOf(executor, `numbers of ${documents.table}.${documents.column}`);
  assertNumbers(documents, (await read(gaps.mismatchStatement(documents)))[0]);
  const isThere = !(await missing(executor, table)).includes('table');
  const [row] = await read(unseededStatement(name, isThere ? table : undefined, documents));
  await assertAllRows(read, gaps, documents);
  return seededOf(row);
}

/** The rights that the role of `executor` lacks to take numbers; none if the tables do not exist. */
export async function lackingNumberRights(
  executor: SqlExecutor,
  { table = DEFAULT_NUMBER_TABLE }: TableOptions = {},
): Promise<LackingRights> {
  return await seriesDialectOf(executor).lackingRights(executor, table);
}

function seededOf(row: Readonly<Record<string, unknown>> | undefined): Seeded {
  return { keys: readWholeNumber(row?.keys, 'keys'), highest: readWholeNumber(row?.highest, 'last_number') };
}
