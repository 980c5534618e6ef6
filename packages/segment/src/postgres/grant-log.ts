import { logTableOf, quotedTable, type SqlExecutor, type TableShape } from '@ids/store';
import { rowsOf, runOn } from '@ids/store/postgres';
import { MAX_STEP } from '../segment.js';
import type { GrantRows } from '../table/dialect.js';
import { SEGMENT_TABLE } from '../table/wording.js';
import { missingSequence } from './missing-sequence.js';

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
 * The statement `reserve` or `raise` with an entry in the grant log: both are committed, or neither. `owner`
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
SELECT max_id, was, left_ms, realm, reigns FROM reserved`;
}

/** The grants of `whoIssued` on Postgres. */
export async function grantsWith(
  executor: SqlExecutor,
  table: string,
  name: string,
  id: number,
): Promise<GrantRows> {
  const log = quotedTable(logTableOf(table)).table;
  // No segment is longer than MAX_STEP, which limits how far down the index is searched.
  const text = `
SELECT s.max_id, (SELECT min(o.low) FROM ${log} o WHERE o.server_name = $1) AS log_start,
  l.low, l.high, l.owner, (1000 * extract(epoch FROM l.granted_at))::text AS granted_ms
FROM ${quotedTable(table).table} s LEFT JOIN ${log} l
  ON l.server_name = $1 AND l.low BETWEEN $2::bigint - ${MAX_STEP - 1} AND $2::bigint AND l.high >= $2::bigint
WHERE s.server_name = $1 ORDER BY l.granted_at DESC`;
  const run = rowsOf(runOn(executor, table, SEGMENT_TABLE));
  const [first, ...others] = await run(text, [name, id]);
  if (first !== undefined) return [first, ...others];
  throw await missingSequence(run, name, table);
}
