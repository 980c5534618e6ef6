import { IdError } from '@ids/core';
import { abortable } from '@ids/core/strategy';
import { assertDatabaseUrl } from './database-url.js';
import { isLockTimeout, isSerializationFailure } from './sql-error.js';
import type { SqlExecutor, SqlResult } from './sql-executor.js';

/**
 * The part of a `pg` pool that is needed. A client and a transaction have no `totalCount` and do not match.
 */
export interface PgPoolLike {
  connect(): Promise<PgPoolClientLike>;
  /** Connections that the pool holds. */
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
  /** `I` when idle, outside a transaction; absent in older releases of `pg`. */
  getTransactionStatus?(): string | null;
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
 * Statements through a pool, each on a connection of its own and committed by itself. The pool stays the
 * caller's to close. Throws a `TypeError` for a client, which may be inside a transaction: a rollback would
 * give the same segment again.
 */
export function fromPg(pool: PgPoolLike): SqlExecutor {
  if (!isPgPool(pool)) {
    throw new TypeError(
      'fromPg takes a pg.Pool, not a client or a transaction: a reservation must be committed by itself',
    );
  }
  return {
    execute: (text, values, signal) => executeInPool(pool, text, values, signal),
    async close() {},
  };
}

export interface PgUrlOptions {
  /** The most connections the pool may open, at least 1; default 2. */
  readonly max?: number;
}

/**
 * Opens a pool of its own, which `close` ends, for a `postgres://` or `postgresql://` URL. Needs the package
 * `pg`. Connections are made when the first statement runs.
 */
export async function fromPgUrl(url: string, { max = 2 }: PgUrlOptions = {}): Promise<SqlExecutor> {
  assertDatabaseUrl(url);
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'a database URL needs the package "pg"; install it or hand in a pool',
      {
        cause,
      },
    );
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
  // Without a listener, the loss of an idle connection would end the process; the pool replaces it by itself.
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
  const client = await checkOut(pool, signal);
  const notices: string[] = [];
  const onNotice = ({ message, detail, routine }: PgNotice): void => {
    notices.push([message, detail, routine].filter(Boolean).join(' '));
  };
  // While a client is checked out nobody else listens, and a lost connection would end the process.
  const onError = (): void => {};
  let checkedOut = true;
  const giveBack = (sound: boolean): void => {
    if (!checkedOut) return;
    checkedOut = false;
    client.removeListener('notice', onNotice);
    // One that is thrown away may report its end later still.
    if (sound) client.removeListener('error', onError);
    client.release(!sound);
  };
  const onAbort = (): void => giveBack(false);
  client.on('notice', onNotice);
  client.on('error', onError);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    assertOutsideTransaction(client);
    const { rows } = await client.query(text, [...values]);
    giveBack(true);
    return { rows, notices };
  } catch (error) {
    // After a failure the connection may be half-open, or lead to a server that became a standby: not worth
    // keeping. A collision with another transaction says nothing of the kind, and may come often; nor does
    // a lock of somebody else.
    giveBack(isSerializationFailure(error) || isLockTimeout(error));
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** A connection of the pool; one that comes after the abort goes straight back, with nothing sent. */
async function checkOut(pool: PgPoolLike, signal: AbortSignal | undefined): Promise<PgPoolClientLike> {
  signal?.throwIfAborted();
  const connecting = pool.connect();
  try {
    return await abortable(connecting, signal);
  } catch (error) {
    if (signal?.aborted) connecting.then((client) => client.release()).catch(() => {});
    throw error;
  }
}

/** Somebody else may have given a connection back to the pool with its transaction still open. */
function assertOutsideTransaction(client: PgPoolClientLike): void {
  const status = client.getTransactionStatus?.() ?? 'I';
  if (status === 'I') return;
  throw new IdError(
    'ERR_IDS_UNAVAILABLE',
    'the pool gave a connection on which somebody left a transaction open; a reservation must be committed by itself',
  );
}
