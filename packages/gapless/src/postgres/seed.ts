import { quotedTable } from '@ids/store';
import { wrongIsolation } from '../errors.js';
import { assertAllRows, assertNumbers, type Documents } from '../table/documents.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { mismatchStatement, numberedRows } from './documents.js';
import { postgresGaps } from './gaps.js';
import { bytes, text } from './statements.js';

/** What `seedStatement` does, and `raiseStatement` for one key. Twice: as once. */
const RAISES = `ON CONFLICT (series, sequence_key) DO UPDATE SET last_number = GREATEST(n.last_number, excluded.last_number)`;

/**
 * `seedWithin` on Postgres: `keys` and `highest`. Writers have to end before it has the lock, and those that
 * come later wait. So its statements must read what is committed then: a stronger isolation would read what
 * was there before. It gives up soon, unless the caller has set a limit.
 */
export async function seedOnPostgres(tx: TransactionPort, request: NumberRequest, documents: Documents) {
  const [facts] = await tx.run(
    "SELECT current_setting('transaction_isolation') AS isolation, current_setting('lock_timeout') AS lock_timeout",
  );
  if (facts?.isolation !== 'read committed')
    throw wrongIsolation(request, facts?.isolation, 'READ COMMITTED');
  const unlimited = facts?.lock_timeout === '0';
  if (unlimited) await tx.run(LIMIT_LOCKS);
  await tx.run(lockStatement(documents));
  assertNumbers(documents, (await tx.run(mismatchStatement(documents)))[0]);
  const [row] = await tx.run(seedStatement(request, documents));
  await assertAllRows(tx.run, postgresGaps, documents);
  if (unlimited) await tx.run('SET LOCAL lock_timeout = 0');
  return row;
}

/** Writers wait behind whoever waits for the lock of a table. */
export const LIMIT_LOCKS = "SET LOCAL lock_timeout = '3s'";

/** Keeps writers out until the end of the transaction, and fails outside of one. Readers go on. */
export function lockStatement({ table }: Documents): string {
  return `LOCK TABLE ${quotedTable(table).table} IN SHARE MODE`;
}

/**
 * Raises the keys that are below the numbers of their documents, and touches no other one: whoever has the
 * row of another key locked may wait for the table of the documents.
 */
export function seedStatement({ name, table }: Pick<NumberRequest, 'name' | 'table'>, documents: Documents) {
  const numbers = quotedTable(table).table;
  return `WITH ends AS MATERIALIZED (${endsOf(name, table, documents)}), seeded AS (
  INSERT INTO ${numbers} AS n (series, sequence_key, last_number)
  SELECT ${text(name)}, e.sequence_key, e.number FROM ends e WHERE e.number > e.last_number
  ${RAISES} RETURNING n.last_number
)
SELECT count(*)::text AS keys, COALESCE(max(GREATEST(number, last_number)), 0)::text AS highest FROM ends`;
}

/** The keys that documents are ahead of, for `findUnseeded`: `keys` and `highest`. */
export function unseededStatement(name: string, table: string | undefined, documents: Documents): string {
  return `SELECT count(*)::text AS keys, COALESCE(max(number), 0)::text AS highest
FROM (${endsOf(name, table, documents)}) e WHERE number > last_number`;
}

/** The keys of documents with their highest `number` and the `last_number` of the series, 0 without one. */
function endsOf(name: string, table: string | undefined, documents: Documents): string {
  const highest = `SELECT d.sequence_key, max(d.number) AS number FROM (${numberedRows(documents)}) d GROUP BY d.sequence_key`;
  if (table === undefined) return `SELECT m.*, 0 AS last_number FROM (${highest}) m`;
  return `SELECT m.*, COALESCE(n.last_number, 0) AS last_number FROM (${highest}) m
  LEFT JOIN ${quotedTable(table).table} n ON n.series = ${text(name)} AND n.sequence_key = m.sequence_key`;
}

/** `raiseWithin` on Postgres: `highest`. Without a transaction, it is the one of its own statement. */
export async function raiseOnPostgres(tx: TransactionPort, request: NumberRequest, last: number) {
  const [row] = await tx.run(`WITH before AS MATERIALIZED (
  SELECT current_setting('lock_timeout') AS was, set_config('lock_timeout', '${request.deadlineMs}', true) AS set
), raised AS (
  INSERT INTO ${quotedTable(request.table).table} AS n (series, sequence_key, last_number)
  SELECT ${text(request.name)}, ${bytes(request.key)}, ${last} FROM before WHERE before.set IS NOT NULL ${RAISES} RETURNING n.last_number
), answer AS MATERIALIZED (
  SELECT last_number::text AS highest FROM raised
)
SELECT a.highest, set_config('lock_timeout', b.was, true) AS put_back FROM answer a, before b`);
  return row;
}
