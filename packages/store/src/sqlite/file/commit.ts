import { IdError } from '@ids/core';
import type { Row } from '../../executor.js';
import type { SqliteConnection } from './connection.js';
import { pragma } from './durability.js';

/** Statements that stop the wait for locks in the driver, and restore it. */
export interface Waits {
  readonly stop: string;
  readonly restore: string;
}

/** A wait in the driver would block the event loop; see `whileBusy`. */
export function waitsOf(connection: SqliteConnection, owned: boolean): Waits {
  const timeout = owned ? 0 : Number(pragma(connection, 'busy_timeout'));
  if (timeout === 0) return { stop: '', restore: '' };
  return { stop: 'PRAGMA busy_timeout = 0;', restore: `PRAGMA busy_timeout = ${timeout};` };
}

/**
 * Runs a statement, which has committed by then. Everything happens before the event loop goes on, so nobody
 * else uses the connection meanwhile.
 */
export function committed(
  connection: SqliteConnection,
  waits: Waits,
  text: string,
  values: readonly unknown[],
): readonly Row[] {
  if (connection.inTransaction === undefined) return betweenBeginAndCommit(connection, waits, text, values);
  if (connection.inTransaction()) throw otherTransaction();
  if (waits.stop === '') return connection.all(text, values);
  connection.exec(waits.stop);
  try {
    return connection.all(text, values);
  } finally {
    connection.exec(waits.restore);
  }
}

/**
 * Runs a statement in a transaction of its own.
 *
 * A driver may leave a prepared statement unfinished that met a lock. Then no later statement commits by
 * itself, and each keeps the file locked for reading, so that no other process can write, without any error.
 * So each lock is taken by `exec`, which finishes what it runs, before the statement, and the commit is one
 * that would fail.
 */
function betweenBeginAndCommit(
  connection: SqliteConnection,
  waits: Waits,
  text: string,
  values: readonly unknown[],
): readonly Row[] {
  const reads = /^\s*SELECT\b/i.test(text);
  begin(connection, waits, reads);
  try {
    if (reads) connection.exec('SELECT 1 FROM sqlite_master LIMIT 1');
    const rows = connection.all(text, values);
    connection.exec(`COMMIT;${waits.restore}`);
    return rows;
  } catch (error) {
    try {
      connection.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
    connection.exec(waits.restore);
    throw error;
  }
}

function begin(connection: SqliteConnection, waits: Waits, reads: boolean): void {
  try {
    connection.exec(`${waits.stop}${reads ? 'BEGIN' : 'BEGIN IMMEDIATE'}`);
  } catch (cause) {
    connection.exec(waits.restore);
    throw /within a transaction/.test(String(cause)) ? otherTransaction(cause) : cause;
  }
}

function otherTransaction(cause?: unknown): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    'the connection has a transaction open; a reservation must commit by itself: give ids a connection of its own',
    { cause },
  );
}
