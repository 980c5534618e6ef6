import { IdError, isIdError } from '@ids/core';

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

/** The failure of a statement against `table`, in terms of the port. Errors of drivers carry no password. */
export function sqlError(error: unknown, table: string): IdError {
  if (isIdError(error)) return error;
  const hint = CONFIG_HINTS[sqlState(error) ?? ''];
  const because = describeError(error);
  return hint === undefined
    ? new IdError('ERR_IDS_UNAVAILABLE', `segment table ${table}: ${because}`, { cause: error })
    : new IdError('ERR_IDS_CONFIG', `segment table ${table}: ${because} (${hint})`, { cause: error });
}

/** True for a collision with another transaction, after which the same statement can succeed. */
export function isSerializationFailure(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** True when `max_id` would leave the range of ids. */
export function isOutOfRange(error: unknown): boolean {
  const state = sqlState(error);
  return state === '23514' || state === '22003';
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
