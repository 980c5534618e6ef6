import { quotedTable } from '@ids/store';
import { seriesTableOf } from '../table/names.js';
import type { NumberRequest } from '../table/request.js';
import { CHANGE_HERE, WITH_HERE } from './reign.js';

/*
 * Every SQL text of daily use. They carry their values themselves, as hexadecimal digits and whole numbers,
 * so that they run through every library, in the simple protocol and through every pooler.
 *
 * What proves that a transaction is open: a setting that lives until the end of a transaction. One statement
 * makes it, the next one finds it. Outside a transaction, the first one was a transaction of its own, and
 * behind a pooler the next one may even run on another connection. Savepoints, subtransactions and functions
 * change nothing about that. The setting has a random value, so that nobody has set it for the session.
 *
 * Where several statements can be one message, a savepoint in it proves the same: outside a transaction it
 * fails, and what comes after it in the message does not run.
 */

/** A value in SQL, whatever the settings of the session say about quotes. */
export function bytes(text: string): string {
  return `E'\\\\x${Buffer.from(text).toString('hex')}'::bytea`;
}

/** Most names need no function call, which each statement would have to plan. */
export function text(value: string): string {
  return /^[\w.:/-]*$/.test(value) ? `'${value}'::text` : `convert_from(${bytes(value)}, 'UTF8')`;
}

/** Whether the proof is there. Without one, the message has proved it: see `OPEN`. */
function isProved(proof: string | undefined): string {
  return proof === undefined ? 'true' : `COALESCE(current_setting('ids.within', true) = '${proof}', false)`;
}

/** The row of a key, `n`. */
function isKey({ name, key }: NumberRequest): string {
  return `n.series = ${text(name)} AND n.sequence_key = ${bytes(key)}`;
}

/**
 * Sets the proof, and reads what decides whether a number can be taken: `read_only`; and `change`, what
 * happened to the database since its reign was accepted, if the request is to be refused then.
 */
export function proofStatement({ name, table, refuses }: NumberRequest, proof: string): string {
  const compares = refuses.failover || refuses.restore;
  const change = compares
    ? `(SELECT ${CHANGE_HERE} FROM ${quotedTable(seriesTableOf(table)).table} s WHERE s.series = ${text(name)})`
    : 'NULL';
  return `${compares ? WITH_HERE(table) : ''}SELECT set_config('ids.within', '${proof}', true) AS proof,
  current_setting('transaction_read_only') AS read_only, ${change} AS change${compares ? ' FROM here' : ''}`;
}

/**
 * Takes numbers of a key that has some and that nobody holds: one row with `last`, the last one of them. No
 * row otherwise, or without the proof. By its place in the table, a row costs half as much as in a `WITH`. If
 * the row was written since the statement began, its new place is not seen either, and there is no row.
 *
 * Twice: numbers twice, in one transaction, which uses them or gives all of them back. After the loss of its
 * answer: the transaction ends with its connection. On a former primary that still answers: there only, and
 * lost with the row that carries the number.
 */
export function freeStatement(request: NumberRequest, proof: string | undefined): string {
  const { table } = quotedTable(request.table);
  return `UPDATE ${table} n SET last_number = n.last_number + ${request.count}
WHERE n.ctid = (SELECT n.ctid FROM ${table} n WHERE ${isKey(request)} AND ${isProved(proof)} FOR NO KEY UPDATE SKIP LOCKED)
RETURNING n.last_number::text AS last`;
}

/**
 * The same of a key that has numbers and that somebody may hold: waits for the end of the other transaction.
 * The limit of the wait holds for this statement only. Without a row, the rollback to the savepoint before
 * it puts it back. It is set once, before the row is looked for: what depends on the row is evaluated again
 * after a wait.
 */
export function heldStatement(request: NumberRequest, proof: string | undefined): string {
  const limit = `CASE WHEN set_config('ids.lock_timeout', current_setting('lock_timeout'), true) IS NOT NULL THEN '${request.deadlineMs}' END`;
  return `UPDATE ${quotedTable(request.table).table} n SET last_number = n.last_number + ${request.count}
WHERE (SELECT set_config('lock_timeout', ${limit}, true)) IS NOT NULL AND ${isProved(proof)} AND ${isKey(request)}
RETURNING n.last_number::text AS last, set_config('lock_timeout', current_setting('ids.lock_timeout'), true) AS put_back`;
}

/**
 * The same of a key that may have no number yet. `known` is whether there is such a series. The limit of the
 * wait holds for this statement only: if it fails, the rollback to the savepoint puts it back.
 */
export function waitingStatement(request: NumberRequest, proof: string | undefined): string {
  const { name, key, count, table, deadlineMs } = request;
  const proved = isProved(proof);
  const numbers = quotedTable(table).table;
  return `WITH before AS MATERIALIZED (
  SELECT current_setting('lock_timeout') AS was, set_config('lock_timeout', '${deadlineMs}', true) AS set
), series AS MATERIALIZED (
  SELECT s.series FROM before, ${quotedTable(seriesTableOf(table)).table} s
  WHERE s.series = ${text(name)} AND before.set IS NOT NULL AND ${proved}
), taken AS (
  INSERT INTO ${numbers} AS n (series, sequence_key, last_number) SELECT s.series, ${bytes(key)}, ${count} FROM series s
  ON CONFLICT (series, sequence_key) DO UPDATE SET last_number = n.last_number + ${count}
  RETURNING n.last_number
), answer AS MATERIALIZED (
  SELECT ${proved}::text AS open, (SELECT count(*) FROM series)::text AS known, (SELECT last_number::text FROM taken) AS last
)
SELECT a.open, a.known, a.last, set_config('lock_timeout', b.was, true) AS put_back FROM answer a, before b`;
}

/** The beginning of a message that fails outside a transaction, and otherwise changes nothing. */
export const OPEN = ['SAVEPOINT ids_number', 'RELEASE SAVEPOINT ids_number'];

/** What a wait ends with at its limit. */
export const LOCK_NOT_AVAILABLE = '55P03';

export const SAVEPOINT = 'SAVEPOINT ids_number';
export const ROLLBACK_TO = 'ROLLBACK TO SAVEPOINT ids_number';
export const RELEASE = 'RELEASE SAVEPOINT ids_number';

/**
 * Who holds the row of a key, or is making it: the transaction that has locked it, or the one that others
 * wait for to know whether the key exists. Null for what the account may not see.
 */
export function holderStatement(request: NumberRequest): string {
  const { table } = quotedTable(request.table);
  return `SELECT a.pid::text AS pid, a.application_name AS application, a.usename::text AS account, host(a.client_addr) AS address,
  a.state, to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since
FROM ${table} n JOIN pg_catalog.pg_locks l ON l.locktype = 'transactionid' AND l.granted AND l.transactionid = n.xmax
  JOIN pg_catalog.pg_stat_activity a USING (pid)
WHERE ${isKey(request)} AND a.pid <> pg_catalog.pg_backend_pid()`;
}

/** Who keeps a lock on the tables and is older than this transaction: among them is who makes a new key. */
export function makerStatement(request: NumberRequest): string {
  const { table } = quotedTable(request.table);
  return `SELECT DISTINCT a.pid::text AS pid, a.application_name AS application, a.usename::text AS account, host(a.client_addr) AS address,
  a.state, to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since
FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a USING (pid)
WHERE l.locktype = 'relation' AND l.relation = '${table}'::regclass AND l.mode = 'RowExclusiveLock' AND l.granted
  AND a.wait_event_type IS DISTINCT FROM 'Lock' AND a.pid <> pg_catalog.pg_backend_pid() LIMIT 5`;
}
