import { IdError } from '@ids/core';
import { sqlState } from './errors.js';

/**
 * For clients that do not say how the server ended its answer. It follows a statement on the same connection,
 * without parameters, so that it is one message: then a transaction that begins with it has the time of the
 * message. It fails inside a transaction that is older, and aborts it with all that the statement has done.
 * Its owner, if there still is one, hears of that at its next statement.
 */
export const OUTSIDE_TRANSACTION = `SELECT 1 / (pg_catalog.pg_current_xact_id_if_assigned() IS NULL
  AND pg_catalog.now() = pg_catalog.statement_timestamp())::int`;

/** Whether `OUTSIDE_TRANSACTION` failed inside a transaction: a division by zero, or it was aborted. */
export function isInsideTransaction(error: unknown): boolean {
  return ['22012', '25P02'].includes(sqlState(error) ?? '');
}

export function openTransaction(): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    'the pool returned a connection with a transaction open; a reservation must commit by itself',
  );
}
