import { type IdError, isIdError } from '@ids/core';
import { lockedTooLong, statementError, textOfError } from '../statement-error.js';
import { missingTableHint, type TableWording } from '../table-shape.js';
import { tlsHint } from '../tls-hint.js';

/** Numbers of errors for which a retry does not help, as MariaDB and MySQL share them. */
const CONFIG_HINTS: Readonly<Record<number, string>> = {
  1044: 'the user lacks a right on the database',
  1045: 'the user or the password is wrong, or this account must use TLS',
  1046: 'name a database in the URL, or before a dot in "table"',
  1049: 'there is no such database',
  1142: 'the user lacks a right on it',
  1143: 'the user lacks a right on it',
  1227: 'the user lacks a right',
  1370: 'the user lacks a right on it',
  1419: 'set log_bin_trust_function_creators = 1 on the server, or create the triggers as an administrator',
};

function hintOf(errno: number, wording: TableWording): string | undefined {
  const run = wording.create.split(' ')[0];
  if (errno === 1054) return `the table is not one that ${run} creates`;
  if (errno === 1146) return missingTableHint(wording);
  if (errno === 1449) {
    return `the account that created the triggers is gone: drop the triggers and run ${run} again`;
  }
  return CONFIG_HINTS[errno];
}

/** The error for a failed statement against `table`. Errors of the driver contain no password. */
export function mysqlError(error: unknown, table: string, wording: TableWording): IdError {
  if (isIdError(error)) return error;
  const about = `${wording.what} ${table}`;
  if (isLockTimeout(error)) return lockedTooLong(error, about);
  return statementError(error, about, textOfError(error), hintOf(errnoOf(error), wording) ?? tlsHint(error));
}

/** True if the server gave up waiting: for a lock of a row, or at the limit of the statement (MariaDB). */
export function isLockTimeout(error: unknown): boolean {
  return [1205, 1969].includes(errnoOf(error));
}

/** True for a collision with another transaction, after which the same statement can succeed. */
export function isCollision(error: unknown): boolean {
  return [1213, 1020].includes(errnoOf(error));
}

/**
 * True if the account lacks the right, or cannot see the table. Also for the error that `mysqlError` made of
 * it.
 */
export function isDenied(error: unknown): boolean {
  return [1044, 1142, 1143, 1227, 1370].includes(errnoOf(causeOf(error)));
}

/** True if there is no such table. Also for the error that `mysqlError` made of it. */
export function isMissingTable(error: unknown): boolean {
  return errnoOf(causeOf(error)) === 1146;
}

/** True if a table lacks a column. Also for the error that `mysqlError` made of it. */
export function isMissingColumn(error: unknown): boolean {
  return errnoOf(causeOf(error)) === 1054;
}

/** True if the key exists. */
export function isDuplicate(error: unknown): boolean {
  return errnoOf(error) === 1062;
}

/** The error of the driver. */
function causeOf(error: unknown): unknown {
  return isIdError(error) ? error.cause : error;
}

function errnoOf(error: unknown): number {
  const { errno } = Object(error) as { readonly errno?: unknown };
  return typeof errno === 'number' ? errno : 0;
}

export const NO_AUTOCOMMIT =
  'connections of the pool have autocommit off, by init_connect or an option; a reservation must commit by itself';
