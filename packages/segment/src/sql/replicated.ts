import { IdError } from '@ids/core';

/**
 * The text of Postgres, and the function it comes from, for servers that speak another language. The commit
 * then stands on this server only: a standby that takes over would reserve the same segment again.
 */
const MAYBE_NOT_REPLICATED = /might not have been replicated|SyncRepWaitForLSN/;

/** Throws `ERR_IDS_UNAVAILABLE` when the server warned that a commit might not have been replicated. */
export function assertReplicated(notices: readonly string[], name: string, what: string): void {
  if (!notices.some((notice) => MAYBE_NOT_REPLICATED.test(notice))) return;
  throw new IdError(
    'ERR_IDS_UNAVAILABLE',
    `sequence ${JSON.stringify(name)}: ${what}, since it might not have been replicated`,
  );
}

/**
 * Makes the server warn: no process has the id 0, so none is cancelled. A client that hears nothing would not
 * hear of a commit that was not replicated either.
 */
export const WARNING_PROBE = `SELECT pg_catalog.set_config('client_min_messages', 'warning', true), pg_cancel_backend(0)`;

export const WARNINGS_LOST =
  'warnings of the server do not arrive, so something on the way drops them: a reservation that no standby confirmed would be used';
