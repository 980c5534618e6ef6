import { hostname } from 'node:os';
import { IdError } from '@ids/core';
import { shownValue } from '@ids/core/strategy';
import { assertSequenceName, LAST_ID, MAX_STEP } from '../segment.js';
import { type Row, runOn, type SqlExecutor } from './executor.js';
import { missingSequence } from './refusal.js';
import { readBigint } from './statements.js';
import { DEFAULT_TABLE, logTableOf, quotedTable, type TableOptions } from './table-name.js';
import type { TableShape } from './table-shape.js';

/** Whether and under which label reservations are logged. */
export interface LogOptions {
  /**
   * Whether each reservation is written to the grant log, in the same statement; default false. See
   * `whoIssued`.
   */
  readonly log?: boolean | undefined;
  /** Who reserves, for the log: any label of 1 to 255 characters, such as a gpid; default `host:pid`. */
  readonly owner?: string | undefined;
}

export const OWNER_RULE = '1 to 255 characters, no control characters';

/** Counts code points, as Postgres does. */
export function isOwner(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(value);
}

export function assertOwner(value: unknown): asserts value is string {
  if (isOwner(value)) return;
  throw new IdError('ERR_IDS_CONFIG', `owner must be ${OWNER_RULE}, got ${shownValue(value)}`);
}

/** This process, for humans: its host and its pid. Not unique among containers that share a host name. */
export function defaultOwner(): string {
  return `${hostname()}:${process.pid}`;
}

/**
 * The grant log: one row per segment, with who reserved it and when, by the server's clock. The time is part
 * of the key, so that reservations do not fail after the segment table went back: the log then shows both
 * grants. Generators never read the rows, so old ones may be deleted at any time.
 */
export const SEGMENT_LOG: TableShape = {
  what: 'grant log',
  columns: {
    server_name: 'text NOT NULL',
    low: 'bigint NOT NULL',
    high: 'bigint NOT NULL',
    owner: 'text NOT NULL CHECK (length(owner) BETWEEN 1 AND 255)',
    granted_at: 'timestamptz NOT NULL DEFAULT now()',
  },
  constraints: [
    'PRIMARY KEY (server_name, low, granted_at) INCLUDE (high)',
    'CHECK (low BETWEEN 1 AND high)',
  ],
};

/**
 * The statement `reserve` or `heal` with an entry in the grant log: both are committed, or neither. `owner`
 * is the parameter with the owner's label.
 */
export function withLog(reservation: string, logTable: string, owner: string): string {
  const { table: log } = quotedTable(logTable);
  return `
WITH reserved AS (${reservation}
), logged AS (
  INSERT INTO ${log} (server_name, low, high, owner)
  SELECT $1, max_id - $2::bigint + 1, max_id, ${owner}::text FROM reserved
)
SELECT max_id, was, left_ms, realm, noticed, reigns FROM reserved`;
}

/** An entry of the grant log: `owner` reserved the segment `low..high`, inclusive. */
export interface Grant {
  readonly low: number;
  readonly high: number;
  readonly owner: string;
  /** When the reservation began, by the database's clock. */
  readonly grantedAt: Date;
}

/** What the grant log knows about an id. */
export type Provenance =
  /**
   * Its segment was reserved; whether the id was used, only the owner knows. If there is more than one grant,
   * the latest first, the table went back in between, and the id may have been issued twice.
   */
  | { readonly status: 'granted'; readonly grants: readonly [Grant, ...Grant[]] }
  /** It is above everything that was reserved. */
  | { readonly status: 'not-drawn' }
  /**
   * It is below the oldest entry: older than the log, below the start of the sequence, or its entry was
   * deleted.
   */
  | { readonly status: 'before-log' }
  /** It is between entries: the table was raised above it, or a process without `log` reserved it. */
  | { readonly status: 'not-logged' };

/**
 * Who reserved the segment that contains an id, and when. Rejects with `ERR_IDS_CONFIG` if there is no such
 * sequence or no log. Needs `SELECT` on both tables. Rejects with a `RangeError` unless `id` is a whole
 * number from 1 to 2^53 - 1.
 */
export async function whoIssued(
  executor: SqlExecutor,
  name: string,
  id: number | bigint,
  { table = DEFAULT_TABLE }: TableOptions = {},
): Promise<Provenance> {
  assertSequenceName(name);
  const value = exactId(id);
  const run = runOn(executor, table);
  const rows = await read(run, name, value, table);
  const [first] = rows;
  if (first === undefined) {
    throw await missingSequence(async (...query) => (await run(...query)).rows, name, table);
  }
  return provenanceOf(value, [first, ...rows.slice(1)]);
}

/** The id as a number. Throws a `RangeError` unless it is a whole number from 1 to 2^53 - 1. */
export function exactId(id: number | bigint): number {
  const value = Number(id);
  if (Number.isSafeInteger(value) && value >= 1 && BigInt(value) === BigInt(id)) return value;
  throw new RangeError(`id must be a whole number from 1 to ${LAST_ID}, got ${String(id)}`);
}

/**
 * What the log knows about an id, from rows with the `max_id` of the sequence, the first entry of its log,
 * and one entry each for the id, the latest first; their `owner` is null if there is none.
 */
export function provenanceOf(value: number, rows: readonly [Row, ...Row[]]): Provenance {
  const [first] = rows;
  const grants = rows.filter(({ owner }) => owner !== null).map(readGrant);
  const [latest, ...earlier] = grants;
  if (latest !== undefined) return { status: 'granted', grants: [latest, ...earlier] };
  if (value > readBigint(first.max_id, 'max_id')) return { status: 'not-drawn' };
  const logged = first.log_start !== null && value >= readBigint(first.log_start, 'log_start');
  return { status: logged ? 'not-logged' : 'before-log' };
}

async function read(
  run: ReturnType<typeof runOn>,
  name: string,
  id: number,
  table: string,
): Promise<readonly Row[]> {
  const log = quotedTable(logTableOf(table)).table;
  // No segment is longer than MAX_STEP, which limits how far down the index is searched.
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
    low: readBigint(low, 'low'),
    high: readBigint(high, 'high'),
    owner: String(owner),
    grantedAt: new Date(Number(grantedMs)),
  };
}
