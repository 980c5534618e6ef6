import { IdError } from '@ids/core';
import { type Holder, shownHolder } from './holder.js';
import { NUMBER_TABLE, seriesTableOf } from './table/names.js';
import type { GivenNumbers, NumberRequest } from './table/request.js';

/** A sequence and its key, for messages. */
export function shownKey({ name, key }: Pick<NumberRequest, 'name' | 'key'>): string {
  return key === '' ? `"${name}"` : `"${name}", key ${JSON.stringify(key)}`;
}

export function noTransaction(request: NumberRequest, cause?: unknown): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `number of ${shownKey(request)}: no transaction is open on this connection, so the number would be used even if your row is not written; begin one, and insert the row in it`,
    { cause },
  );
}

export function readOnly(request: NumberRequest, cause?: unknown): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `number of ${shownKey(request)}: the transaction is read-only, or runs on a standby; begin one that may write, on the primary`,
    { cause },
  );
}

export function aborted(request: NumberRequest, cause: unknown): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    `number of ${shownKey(request)}: an earlier statement has failed, and the transaction is aborted; roll it back and run all of it again`,
    { cause },
  );
}

export function unknownSeries({ name, table }: NumberRequest, cause?: unknown): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `${seriesTableOf(table)} has no series ${JSON.stringify(name)}; create it with createSeries`,
    { cause },
  );
}

/** The reference has numbers already, but not those of this request. */
export function otherDocument(request: NumberRequest, { key, first, count }: GivenNumbers): IdError {
  const has = count === 1 ? `has number ${first}` : `has ${count} numbers from ${first}`;
  return new IdError(
    'ERR_IDS_CONFIG',
    `number of ${shownKey(request)}: option "reference": ${shownReference(request)} ${has} of ${shownKey({ ...request, key })}, and this call is for ${request.count}; name each document of a series by a reference of its own, with the key and the count that it had at first`,
  );
}

/** Another transaction is taking a number for the same document. On Postgres, this one is aborted. */
export function referenceHeld(request: NumberRequest, cause: unknown): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `number of ${shownKey(request)}: another transaction has been taking one for ${shownReference(request)} for ${request.deadlineMs} ms: is the same document written twice at once? Roll your transaction back, and run all of it again`,
    { cause },
  );
}

function shownReference({ reference }: NumberRequest): string {
  return `reference ${JSON.stringify(reference)}`;
}

export function usedUp(request: NumberRequest): IdError {
  return new IdError('ERR_IDS_EXHAUSTED', `number of ${shownKey(request)}: there are no more up to 2^53 - 1`);
}

/**
 * `holders` is undefined if the account may not see who holds what. `open`: whether the transaction has
 * survived the deadline.
 */
export function waitedTooLong(
  request: NumberRequest,
  holders: readonly Holder[] | undefined,
  surely: boolean,
  cause: unknown,
  open = true,
): IdError {
  const { deadlineMs } = request;
  const state = open
    ? 'Your transaction is still open, without a number: roll it back, or ask again'
    : 'The server has rolled your transaction back (innodb_rollback_on_timeout): run all of it again';
  const list = (holders ?? []).map(shownHolder).join(', or ');
  const by =
    holders === undefined
      ? 'the account may not see by whom (grant it pg_read_all_stats, or PROCESS on MySQL and MariaDB)'
      : list === ''
        ? 'whoever held it has just ended'
        : `${surely ? 'held by' : 'probably held by'} ${list}`;
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `number of ${shownKey(request)}: another transaction has had one for ${deadlineMs} ms, ${by}. Numbers of one key wait for each other: take the number last, commit at once, and end a transaction that was forgotten. ${state}`,
    { cause },
  );
}

/** The limit of a lock for which nothing was saved, so that Postgres has aborted the transaction. */
export function lockedTooLong(request: NumberRequest, cause: unknown): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `number of ${shownKey(request)}: other transactions have not released a lock in time (lock_timeout): end those that were forgotten. Roll your transaction back, and run all of it again`,
    { cause },
  );
}

/** On SQLite, one transaction writes to a file at a time, and nobody says which one. */
export function fileLocked(request: NumberRequest, cause: unknown): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `number of ${shownKey(request)}: another transaction has been writing to the file, and yours could not within ${request.deadlineMs} ms. ${IMMEDIATE}; and commit at once, as all numbers of a file wait for each other. Your transaction is still open, without a number: roll it back`,
    { cause },
  );
}

/** What a transaction has read on SQLite is not what is there any more. */
export function staleSnapshot(request: NumberRequest, cause: unknown): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    `number of ${shownKey(request)}: another transaction has written to the file since yours has read from it, so yours cannot write any more: roll it back and run all of it again. ${IMMEDIATE}`,
    { cause },
  );
}

const IMMEDIATE =
  'Begin transactions that take numbers with BEGIN IMMEDIATE (better-sqlite3: db.transaction(…).immediate(); Drizzle: { behavior: "immediate" })';

/** In another isolation, writers that a seed does not see would go on. */
export function wrongIsolation(request: NumberRequest, isolation: unknown, needed: string): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `seed of ${shownKey(request)}: the transaction is ${String(isolation)}, so it might not see what others write meanwhile; begin one with ${needed}`,
  );
}

/** Any other failure of the database. `config`: no retry helps. */
export function failed(
  request: NumberRequest,
  error: unknown,
  { config, rights = true }: { readonly config: boolean; readonly rights?: boolean },
): IdError {
  const because = error instanceof Error ? error.message : String(error);
  const hint = config
    ? ` (create the tables with ${NUMBER_TABLE.create}${rights ? `, and grant what ${NUMBER_TABLE.grants} prints` : ''})`
    : '';
  return new IdError(
    config ? 'ERR_IDS_CONFIG' : 'ERR_IDS_UNAVAILABLE',
    `number of ${shownKey(request)}: ${because}${hint}; roll the transaction back`,
    { cause: error },
  );
}
