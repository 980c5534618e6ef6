import { hostname } from 'node:os';
import { IdError, shownValue } from '@ids/core';
import { assertSequenceName, LAST_ID, MAX_STEP } from '../segment.js';
import type { Row } from './executor.js';
import { runOn, type SqlExecutor } from './executor.js';
import { missingSequence } from './refusal.js';
import { readBigint } from './statements.js';
import type { TableOptions } from './table-name.js';
import { DEFAULT_TABLE, logTableOf, quotedTable } from './table-name.js';

/** Whether and for whom reservations are written down. */
export interface LogOptions {
  /**
   * Whether each reservation is entered into the grant log, in the same statement; default
   * false. `whoIssued` reads it.
   */
  readonly log?: boolean | undefined;
  /**
   * Who draws the segments, for the log: any label of 1 to 255 characters, such as a
   * gpid; default `host:pid`.
   */
  readonly owner?: string | undefined;
}

export const OWNER_RULE = '1 to 255 characters, no control characters';

/** Code points are counted, as Postgres counts them. */
export function isOwner(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(value);
}

export function assertOwner(value: unknown): asserts value is string {
  if (isOwner(value)) return;
  throw new IdError('ERR_IDS_CONFIG', `owner must be ${OWNER_RULE}, got ${shownValue(value)}`);
}

/** This process for a human: its host and its pid. Not unique among containers that share a host name. */
export function defaultOwner(): string {
  return `${hostname()}:${process.pid}`;
}

/**
 * The DDL of the grant log: one row per segment, who drew it and when by the server's clock. The key has the
 * time in it, so that a segment table which went back does not make reservations fail: the log then shows
 * both grants. Generators never read the rows, so old ones may be deleted at any time.
 */
export function segmentLogSchema(table: string): string {
  const { table: log } = quotedTable(logTableOf(table));
  return `CREATE TABLE IF NOT EXISTS ${log} (
  server_name text NOT NULL,
  low bigint NOT NULL,
  high bigint NOT NULL,
  owner text NOT NULL CHECK (length(owner) BETWEEN 1 AND 255),
  granted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (server_name, low, granted_at) INCLUDE (high),
  CHECK (low BETWEEN 1 AND high)
);
`;
}

/**
 * The statement `reserve` or `heal` with an entry in the grant log: both are committed, or none of them is.
 * `owner` stands for the parameter with the owner's label.
 */
export function withLog(reservation: string, tableName: string, owner: string): string {
  const { table: log } = quotedTable(logTableOf(tableName));
  return `
WITH reserved AS (${reservation}
), logged AS (
  INSERT INTO ${log} (server_name, low, high, owner)
  SELECT $1, max_id - $2::bigint + 1, max_id, ${owner}::text FROM reserved
)
SELECT max_id, left_ms, noticed FROM reserved`;
}

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
