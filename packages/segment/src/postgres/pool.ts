import { IdError } from '@ids/core';
import type { SqlExecutor, SqlResult } from '../store/executor.js';
import { isLockTimeout, isSerializationFailure } from './errors.js';

/** The part of a `pg` pool that is used. A client or a transaction does not match: it has no `totalCount`. */
export interface PgPoolLike {
  /**
   * With a callback, which runs in the turn in which the connection is ready: its first event may come before
   * a promise resolves.
   */
  connect(callback: (error: Error | undefined, client: PgPoolClientLike | undefined) => void): unknown;
  /** The number of connections of the pool. */
  readonly totalCount: number;
  readonly idleCount: number;
}

export interface PgPoolClientLike {
  query(text: string, values: unknown[]): Promise<{ readonly rows: Record<string, unknown>[] }>;
  on(event: 'notice', listener: (notice: PgNotice) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'notice', listener: (notice: PgNotice) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  release(error?: Error | boolean): void;
  /** What reads the server's messages. Clients of `pg-native` do not have it. */
  readonly connection?: PgConnectionLike;
}

interface PgConnectionLike {
  on(event: 'readyForQuery', listener: (message: PgReady) => void): unknown;
  removeListener(event: 'readyForQuery', listener: (message: PgReady) => void): unknown;
}

/** How the server ends its answer to a statement: `I` outside a transaction, `T` or `E` inside one. */
interface PgReady {
  readonly status?: string | undefined;
}

interface PgNotice {
  readonly message?: string | undefined;
  readonly detail?: string | undefined;
  readonly routine?: string | undefined;
}

export function isPgPool(value: unknown): value is PgPoolLike {
  if (typeof value !== 'object' || value === null) return false;
  const { connect, totalCount, release } = value as Partial<PgPoolLike & PgPoolClientLike>;
  return typeof connect === 'function' && typeof totalCount === 'number' && release === undefined;
}

/**
 * Runs statements through a pool; each commits by itself. The caller closes the pool. Throws a `TypeError`
 * for a client, because it may be inside a transaction: after a rollback the same segment would be reserved
 * again.
 */
export function fromPg(pool: PgPoolLike): SqlExecutor {
  if (!isPgPool(pool)) {
    throw new TypeError(
      'fromPg takes a pg.Pool, not a client or a transaction: a reservation must commit by itself',
    );
  }
  return {
    execute: (text, values, signal) => executeInPool(pool, text, values, signal),
    async close() {},
  };
}

export interface PgUrlOptions {
  /** The most connections that the pool may open, at least 1; default 2. */
  readonly max?: number;
}

/**
 * Opens a pool for a `postgres://` or `postgresql://` URL; `close` ends it. Needs the package `pg`. Connects
 * when the first statement runs.
 */
export async function fromPgUrl(url: string, { max = 2 }: PgUrlOptions = {}): Promise<SqlExecutor> {
  assertDatabaseUrl(url);
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new IdError('ERR_IDS_CONFIG', 'a database URL needs the package "pg"; install it or pass a pool', {
      cause,
    });
  });
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: 'ids',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // An idle connection must not keep the user's process alive.
    allowExitOnIdle: true,
  });
  // Without a listener, the loss of an idle connection would end the process. The pool replaces it by itself.
  pool.on('error', () => {});
  let ended: Promise<void> | undefined;
  return {
    execute: (text, values, signal) => executeInPool(pool, text, values, signal),
    close: () => (ended ??= pool.end()),
  };
}

async function executeInPool(
  pool: PgPoolLike,
  text: string,
  values: readonly unknown[],
  signal: AbortSignal | undefined,
): Promise<SqlResult> {
  const { client, stopListening } = await checkOut(pool, signal);
  const notices: string[] = [];
  const onNotice = ({ message, detail, routine }: PgNotice): void => {
    notices.push([message, detail, routine].filter(Boolean).join(' '));
  };
  let status = 'I';
  const onReady = (message: PgReady): void => {
    status = message.status ?? status;
  };
  let checkedOut = true;
  const giveBack = (sound: boolean): void => {
    if (!checkedOut) return;
    checkedOut = false;
    client.removeListener('notice', onNotice);
    client.connection?.removeListener('readyForQuery', onReady);
    // A client that is dropped may still report its end later.
    if (sound) stopListening();
    client.release(!sound);
  };
  const onAbort = (): void => giveBack(false);
  client.on('notice', onNotice);
  client.connection?.on('readyForQuery', onReady);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const { rows } = await client.query(text, [...values]);
    assertOutsideTransaction(status);
    giveBack(true);
    return { rows, notices };
  } catch (error) {
    // After a failure the connection may be half-open, or lead to a server that became a standby, so it is
    // not worth keeping. A collision with another transaction, which may be frequent, or a lock says nothing
    // of the kind.
    giveBack(isSerializationFailure(error) || isLockTimeout(error));
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

interface CheckedOut {
  readonly client: PgPoolClientLike;
  readonly stopListening: () => void;
}

/**
 * Gets a connection from the pool. One that comes after the abort is returned at once, unused.
 *
 * While a client is checked out, nobody else listens for its errors, and a lost connection would end the
 * process. So the listener is there in the turn in which the pool hands the client over: a server that shuts
 * down may send its last message in the same packet as the end of the log-in.
 */
function checkOut(pool: PgPoolLike, signal: AbortSignal | undefined): Promise<CheckedOut> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    pool.connect((error, client) => {
      signal?.removeEventListener('abort', onAbort);
      if (client === undefined) return reject(error);
      if (signal?.aborted) return client.release();
      const onError = (): void => {};
      client.on('error', onError);
      resolve({ client, stopListening: () => client.removeListener('error', onError) });
    });
  });
}

/**
 * Somebody else may have returned a connection to the pool with its transaction still open, or with a BEGIN
 * that was not answered yet. So the answer to the statement decides. The connection is dropped, and with it
 * what the statement did: a later rollback would have the same segment reserved twice.
 */
function assertOutsideTransaction(status: string): void {
  if (status === 'I') return;
  throw new IdError(
    'ERR_IDS_UNAVAILABLE',
    'the pool returned a connection with a transaction open; a reservation must commit by itself',
  );
}

export const DATABASE_URL_RULE = 'a postgres:// or postgresql:// URL';

export function isDatabaseUrl(value: unknown): value is string {
  return typeof value === 'string' && /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
}

/**
 * What is wrong with a URL. It shows at most the scheme and the host, because the rest may contain a
 * password.
 */
export function describeBadUrl(value: string, rule: string = DATABASE_URL_RULE): string {
  const shown = URL.canParse(value)
    ? `one with "${new URL(value).protocol}//${new URL(value).host}"`
    : 'another string';
  return `must be ${rule}, got ${shown}`;
}

export function assertDatabaseUrl(value: string, rule: string = DATABASE_URL_RULE): void {
  if (isDatabaseUrl(value)) return;
  throw new IdError('ERR_IDS_CONFIG', `the database URL ${describeBadUrl(String(value), rule)}`);
}
