import { IdError } from '@ids/core';

/** The error for a failed statement, about a table. With a hint, a retry does not help. */
export function statementError(cause: unknown, about: string, because: string, hint?: string): IdError {
  return hint === undefined
    ? new IdError('ERR_IDS_UNAVAILABLE', `${about}: ${because}`, { cause })
    : new IdError('ERR_IDS_CONFIG', `${about}: ${because} (${hint})`, { cause });
}

/** The error for a statement that has waited for a lock until its time was over. */
export function lockedTooLong(cause: unknown, about: string): IdError {
  const message = `${about}: the row was locked for too long, and nothing was reserved`;
  return new IdError('ERR_IDS_TIMEOUT', message, { cause });
}

/** How long DDL waits for a lock, in seconds: whoever uses the table queues behind it. */
export const SCHEMA_LOCK_SECONDS = 5;

/** The error for DDL that has waited that long. */
export function tableInUse(cause: unknown, about: string): IdError {
  const message = `${about}: others use it in long transactions, such as a dump, and would have waited behind this one. Run it again when they have ended`;
  return new IdError('ERR_IDS_TIMEOUT', message, { cause });
}

/** The text of an error. That of Node.js for a host with several addresses has only a code. */
export function textOfError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { sqlMessage, code } = error as { readonly sqlMessage?: unknown; readonly code?: unknown };
  return String(
    [sqlMessage, error.message, code].find((text) => text !== undefined && text !== '') ?? error.name,
  );
}
