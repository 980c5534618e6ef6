import { IdError, isIdError } from '@ids/core';

/** What a statement gave. */
export interface SqlResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Notices and warnings that the connection received while the statement ran, one text each. */
  readonly notices: readonly string[];
}

export type Row = SqlResult['rows'][number];

/** The whole port to a Postgres database. */
export interface SqlExecutor {
  /**
   * True for a database that runs inside this process and writes its own files: there the server's `fsync`
   * setting says nothing about durability.
   */
  readonly embedded?: boolean;
  /**
   * Runs one statement, committed by itself: never inside a transaction that somebody else may roll
   * back, or the same segment is reserved twice. An abort before the statement was sent cancels it;
   * after that it may still commit.
   */
  execute(text: string, values: readonly unknown[], signal?: AbortSignal): Promise<SqlResult>;
  /** Closes what the executor opened itself. Idempotent. */
  close(): Promise<void>;
}

/** SQLSTATEs that no retry mends: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const CONFIG_HINTS: Readonly<Record<string, string>> = {
  '42P01': 'make the table with ensureSchema or segmentSchema',
  '42703': 'the table is not the one that ensureSchema makes',
  '3F000': 'the schema in its name does not exist',
  '42501': 'the role lacks a right on it',
  '28P01': 'the password is wrong',
  '28000': 'the server does not let this role in',
  '22023': 'take a time zone that this server knows, see pg_timezone_names',
  '3D000': 'there is no such database',
};

/** A character that the database's encoding does not have, or bytes that mean none. */
const NOT_IN_ENCODING = new Set(['22P05', '22021']);

/**
 * The failure of a statement against `table`, in terms of the port; `values` are its parameters. Errors of
 * drivers carry no password.
 */
export function sqlError(error: unknown, table: string, values: readonly unknown[] = []): IdError {
  if (isIdError(error)) return error;
  if (isLockTimeout(error)) {
    const message = `segment table ${table}: somebody held a lock of the row for too long, and nothing was reserved`;
    return new IdError('ERR_IDS_TIMEOUT', message, { cause: error });
  }
  const because = describeError(error);
  if (NOT_IN_ENCODING.has(sqlState(error) ?? '')) {
    const names = values.filter(isBeyondAscii).map((name) => JSON.stringify(name));
    const message = `segment table ${table}: ${names.join(', ')} cannot be stored in the encoding of this database: ${because}`;
    return new IdError(
      'ERR_IDS_CONFIG',
      `${message} (take another name, or a database with the encoding UTF8)`,
      {
        cause: error,
      },
    );
  }
  const hint = CONFIG_HINTS[sqlState(error) ?? ''];
  return hint === undefined
    ? new IdError('ERR_IDS_UNAVAILABLE', `segment table ${table}: ${because}`, { cause: error })
    : new IdError('ERR_IDS_CONFIG', `segment table ${table}: ${because} (${hint})`, { cause: error });
}

/** Runs one statement against the segment table; its errors are those of `sqlError`. */
export type Run = (text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** Runs statements against `table`; their errors are those of `sqlError`. */
export function runOn(
  executor: SqlExecutor,
  table: string,
): (text: string, values: readonly unknown[]) => Promise<SqlResult> {
  return async (text, values) => {
    try {
      return await executor.execute(text, values);
    } catch (error) {
      throw sqlError(error, table, values);
    }
  };
}

/** True for a collision with another transaction, after which the same statement can succeed. */
export function isSerializationFailure(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** True when the server gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/** True when the server lacks a function, or does not let this role call it. */
export function isUnsupported(error: unknown): boolean {
  return ['42883', '42501', '0A000'].includes(sqlState(error) ?? '');
}

/** True when `max_id` would leave the range of ids. */
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

/** Node's error for a host with several addresses has an empty message and only a code. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (sqlState(error) ?? error.name);
}
