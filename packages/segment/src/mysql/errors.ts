import { IdError, isIdError } from '@ids/core';

/** Numbers of errors for which a retry does not help, as MariaDB and MySQL share them. */
const CONFIG_HINTS: Readonly<Record<number, string>> = {
  1044: 'the user lacks a right on the database',
  1045: 'the user or the password is wrong',
  1046: 'name a database in the URL, or before a dot in "table"',
  1049: 'there is no such database',
  1054: 'the table is not one that ensureSchema creates',
  1142: 'the user lacks a right on it',
  1143: 'the user lacks a right on it',
  1146: 'create the table with ensureSchema or segmentSchema',
  1227: 'the user lacks a right',
  1370: 'the user lacks a right on it',
  1419: 'set log_bin_trust_function_creators = 1 on the server, or create the triggers as an administrator',
  1449: 'the account that created the triggers is gone: drop the triggers and run ensureSchema again',
};

/** The error for a failed statement against `table`. Errors of the driver contain no password. */
export function mysqlError(error: unknown, table: string): IdError {
  if (isIdError(error)) return error;
  if (isLockTimeout(error)) {
    const message = `segment table ${table}: the row was locked for too long, and nothing was reserved`;
    return new IdError('ERR_IDS_TIMEOUT', message, { cause: error });
  }
  const because = describeError(error);
  const hint = CONFIG_HINTS[errnoOf(error)];
  return hint === undefined
    ? new IdError('ERR_IDS_UNAVAILABLE', `segment table ${table}: ${because}`, { cause: error })
    : new IdError('ERR_IDS_CONFIG', `segment table ${table}: ${because} (${hint})`, { cause: error });
}

/** True if the server gave up waiting: for a lock of a row, or at the limit of the statement (MariaDB). */
export function isLockTimeout(error: unknown): boolean {
  return [1205, 1969].includes(errnoOf(error));
}

/** True for a collision with another transaction, after which the same statement can succeed. */
export function isCollision(error: unknown): boolean {
  return [1213, 1020].includes(errnoOf(error));
}

/** True if the user may not do it, or the table is hidden from it. */
export function isDenied(error: unknown): boolean {
  return [1044, 1142, 1143, 1227, 1370].includes(errnoOf(error));
}

/** True if there is no such table. */
export function isMissingTable(error: unknown): boolean {
  return errnoOf(error) === 1146;
}

/** True if the key exists. */
export function isDuplicate(error: unknown): boolean {
  return errnoOf(error) === 1062;
}

function errnoOf(error: unknown): number {
  const { errno } = Object(error) as { readonly errno?: unknown };
  return typeof errno === 'number' ? errno : 0;
}

/** The text of the server; the error of Node.js for a host with several addresses has only a code. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { sqlMessage, code } = error as { readonly sqlMessage?: unknown; readonly code?: unknown };
  if (typeof sqlMessage === 'string' && sqlMessage !== '') return sqlMessage;
  return error.message || (typeof code === 'string' ? code : error.name);
}

export const NO_AUTOCOMMIT =
  'connections of the pool have autocommit off, by init_connect or an option; a reservation must commit by itself';
