import { LAST_ID } from '../segment.js';
import { MAX_STEP } from '../segment-size.js';
import { assertSequenceName } from '../sequence-name.js';
import { type Row, readBigint } from './read-row.js';
import { missingSequence } from './row-security.js';
import type { TableOptions } from './segment-schema.js';
import { runOn } from './sql-error.js';
import type { SqlExecutor } from './sql-executor.js';
import { DEFAULT_TABLE, logTableOf, quotedTable } from './table-name.js';

/** An entry of the grant log: `owner` drew the segment `low..high`, inclusive. */
export interface Grant {
  readonly low: number;
  readonly high: number;
  readonly owner: string;
  /** By the database's clock, when the reservation began. */
  readonly grantedAt: Date;
}

/** What the grant log knows of an id. */
export type Provenance =
  /**
   * Somebody drew the segment that holds it; whether the id was then used, he alone knows. More than one
   * grant, the latest first: the table went back in between, and the id may have been given twice.
   */
  | { readonly status: 'granted'; readonly grants: readonly [Grant, ...Grant[]] }
  /** It lies above all that was reserved. */
  | { readonly status: 'not-drawn' }
  /**
   * It lies below the oldest entry: it was given before the log began, before its sequence did,
   * or the entry was deleted.
   */
  | { readonly status: 'before-log' }
  /**
   * Entries lie around it, none holds it: the table was raised over it, or a process without `log` drew it.
   */
  | { readonly status: 'not-logged' };

/**
 * Who drew the segment that holds an id, and when. Rejects with `ERR_IDS_CONFIG` when there is no such
 * sequence or no log. Needs `SELECT` on both tables. Throws a `RangeError` unless `id` is a whole
 * number from 1 to 2^53 - 1.
 */
export async function whoIssued(
  executor: SqlExecutor,
  name: string,
  id: number | bigint,
  { table = DEFAULT_TABLE }: TableOptions = {},
): Promise<Provenance> {
  assertSequenceName(name);
  const value = Number(id);
  if (!Number.isSafeInteger(value) || value < 1 || BigInt(value) !== BigInt(id)) {
    throw new RangeError(`id must be a whole number from 1 to ${LAST_ID}, got ${String(id)}`);
  }
  const run = runOn(executor, table);
  const rows = await read(run, name, value, table);
  const [first] = rows;
  if (first === undefined) {
    throw await missingSequence(async (...query) => (await run(...query)).rows, name, table);
  }
  const grants = rows.filter(({ owner }) => owner !== null).map(readGrant);
  const [latest, ...earlier] = grants;
  if (latest !== undefined) return { status: 'granted', grants: [latest, ...earlier] };
  if (value > readBigint(first.max_id)) return { status: 'not-drawn' };
  const logged = first.log_start !== null && value >= readBigint(first.log_start);
  return { status: logged ? 'not-logged' : 'before-log' };
}

async function read(
  run: ReturnType<typeof runOn>,
  name: string,
  id: number,
  table: string,
): Promise<readonly Row[]> {
  const log = quotedTable(logTableOf(table)).table;
  // No segment is longer than MAX_STEP, which bounds how far down the index is searched.
  const text = `
SELECT s.max_id, (SELECT min(o.low) FROM ${log} o WHERE o.server_name = $1) AS log_start,
  l.low, l.high, l.owner, (1000 * extract(epoch FROM l.granted_at))::text AS granted_ms
FROM ${quotedTable(table).table} s LEFT JOIN ${log} l
  ON l.server_name = $1 AND l.low BETWEEN $2::bigint - ${MAX_STEP - 1} AND $2::bigint AND l.high >= $2::bigint
WHERE s.server_name = $1 ORDER BY l.granted_at DESC`;
  return (await run(text, [name, id])).rows;
}

function readGrant({ low, high, owner, granted_ms: grantedMs }: Row): Grant {
  return {
    low: readBigint(low),
    high: readBigint(high),
    owner: String(owner),
    grantedAt: new Date(Number(grantedMs)),
  };
}
