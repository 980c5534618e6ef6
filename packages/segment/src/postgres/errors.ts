import { IdError, isIdError } from '@ids/core';
import {
  type Row,
  SEGMENT_TABLE,
  type SqlExecutor,
  type SqlResult,
  type TableWording,
} from '../store/executor.js';
import { NAME_ANOTHER } from '../store/table-shape.js';

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

function hintOf(state: string, { create }: TableWording): string | undefined {
  if (state === '42P01') return `create the table with ${create}`;
  if (state === '42703') return `the table is not one that ${create.split(' ')[0]} creates`;
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
  values: readonly unknown[] = [],
  wording: TableWording = SEGMENT_TABLE,
): IdError {
  if (isIdError(error)) return error;
  const { what } = wording;
  if (isLockTimeout(error)) {
    const message = `${what} ${table}: the row was locked for too long, and nothing was reserved`;
    return new IdError('ERR_IDS_TIMEOUT', message, { cause: error });
  }
  const because = describeError(error);
  if (NOT_IN_ENCODING.has(sqlState(error) ?? '')) {
    const names = values.filter(isBeyondAscii).map((name) => JSON.stringify(name));
    const message = `${what} ${table}: ${names.join(', ')} cannot be stored in the encoding of this database: ${because}`;
    return new IdError(
      'ERR_IDS_CONFIG',
      `${message} (use another name, or a database with the encoding UTF8)`,
      {
        cause: error,
      },
    );
  }
  const hint = hintOf(sqlState(error) ?? '', wording);
  return hint === undefined
    ? new IdError('ERR_IDS_UNAVAILABLE', `${what} ${table}: ${because}`, { cause: error })
    : new IdError('ERR_IDS_CONFIG', `${what} ${table}: ${because} (${hint})`, { cause: error });
}

/** Runs one statement against the segment table, with the errors of `sqlError`. */
export type Run = (text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** Runs statements against `table`, with the errors of `sqlError`. */
export function runOn(
  executor: SqlExecutor,
  table: string,
  wording: TableWording = SEGMENT_TABLE,
): (text: string, values: readonly unknown[]) => Promise<SqlResult> {
  return async (text, values) => {
    try {
      return await executor.execute(text, values);
    } catch (error) {
      throw sqlError(error, table, values, wording);
    }
  };
}

/** True for a collision with another transaction, after which the same statement can succeed. */
export function isSerializationFailure(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** True if the server gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
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

function sqlState(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The error of Node.js for a host with several addresses has a code but an empty message. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (sqlState(error) ?? error.name);
}
