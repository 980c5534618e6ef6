import { type IdError, isIdError } from '@ids/core';
import { pastCollisions } from '../collisions.js';
import type { CallOptions, Row, SqlExecutor, SqlResult } from '../executor.js';
import { lockedTooLong, statementError, textOfError } from '../statement-error.js';
import { missingTableHint, NAME_ANOTHER, type TableWording } from '../table-shape.js';
import { tlsHint } from '../tls-hint.js';

/**
 * SQLSTATEs for which a retry does not help: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const CONFIG_HINTS: Readonly<Record<string, string>> = {
  '42809': NAME_ANOTHER,
  '3F000': 'the schema in its name does not exist',
  '42501': 'the role lacks a right on it',
  '28P01': 'the password is wrong',
  '28000': 'the server rejects this role',
  '22023': 'use a time zone that this server knows, see pg_timezone_names',
  '3D000': 'there is no such database',
};

function hintOf(state: string, wording: TableWording): string | undefined {
  if (state === '42P01') return missingTableHint(wording);
  if (state === '42703') return `the table is not one that ${wording.create.split(' ')[0]} creates`;
  return CONFIG_HINTS[state];
}

/** A character that the encoding of the database does not have, or bytes that are not a character. */
const NOT_IN_ENCODING = new Set(['22P05', '22021']);

/**
 * The error for a failed statement against `table`; `values` are its parameters. Errors of drivers contain no
 * password.
 */
export function sqlError(
  error: unknown,
  table: string,
  values: readonly unknown[],
  wording: TableWording,
): IdError {
  if (isIdError(error)) return error;
  const about = `${wording.what} ${table}`;
  if (isLockTimeout(error)) return lockedTooLong(error, about);
  const because = textOfError(error);
  const state = sqlState(error) ?? '';
  if (!NOT_IN_ENCODING.has(state)) {
    return statementError(error, about, because, tlsHint(error) ?? hintOf(state, wording));
  }
  const names = values.filter(isBeyondAscii).map((name) => JSON.stringify(name));
  const why = `${names.join(', ')} cannot be stored in the encoding of this database: ${because}`;
  return statementError(error, about, why, 'use another name, or a database with the encoding UTF8');
}

/** Runs one statement against a table, with the errors of `sqlError`. */
export type Run = (text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** `values` may be a function, which is called again for each attempt. */
export type RunOn = (
  text: string,
  values: readonly unknown[] | (() => readonly unknown[]),
  options?: CallOptions,
) => Promise<SqlResult>;

/** Runs statements against `table`, again after collisions, with the errors of `sqlError`. */
export function runOn(executor: SqlExecutor, table: string, wording: TableWording): RunOn {
  return async (text, values, { signal } = {}) => {
    let given: readonly unknown[] = [];
    const attempt = (): Promise<SqlResult> => {
      given = typeof values === 'function' ? values() : values;
      return executor.execute(text, given, signal);
    };
    try {
      return await pastCollisions(attempt, isCollision, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw sqlError(error, table, given, wording);
    }
  };
}

/** The same for the rows alone. */
export function rowsOf(run: RunOn, options?: CallOptions): Run {
  return async (text, values) => (await run(text, values, options)).rows;
}

/** True for a collision with another transaction, after which the same statement can succeed. */
export function isCollision(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** True if the server gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/**
 * True if the connection does not keep its prepared statements: a pooler gave it another server connection,
 * where this one is missing or there already. The statement has not run.
 */
export function isPreparedElsewhere(error: unknown): boolean {
  const state = sqlState(error);
  return state === '26000' || state === '42P05';
}

/** True if a column is not there. */
export function isMissingColumn(error: unknown): boolean {
  return sqlState(error) === '42703';
}

/** True if the server lacks a function, or this role may not call it. */
export function isUnsupported(error: unknown): boolean {
  return ['42883', '42501', '0A000'].includes(sqlState(error) ?? '');
}

/** True if the state of the server does not allow it, for instance because it is a standby. */
export function isWrongState(error: unknown): boolean {
  return sqlState(error) === '55000';
}

/** True if `max_id` would leave the range of ids. */
export function isOutOfRange(error: unknown): boolean {
  const state = sqlState(error);
  return state === '23514' || state === '22003';
}

function isBeyondAscii(value: unknown): boolean {
  return typeof value === 'string' && /[^\p{ASCII}]/u.test(value);
}

export function sqlState(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
