import { createHash } from 'node:crypto';
import { IdError } from '@ids/core';
import { abortable } from '@ids/core/strategy';
import type { SqlExecutor, SqlResult } from '../executor.js';
import { missingDriver } from '../missing-driver.js';
import { isCollision, isLockTimeout } from './errors.js';
import { openTransaction } from './outside-transaction.js';
import { preparing } from './prepared.js';

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
  query(
    text: string | { readonly name: string; readonly text: string },
    values: unknown[],
  ): Promise<{ readonly rows: Record<string, unknown>[] }>;
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
  return { ...executorOf(pool), async close() {} };
}

export interface PgUrlOptions {
  /** The most connections that the pool may open, at least 1; default 2. */
  readonly max?: number;
}

/** Without `pg`: each client that a service may have in its place. */
const OTHER_CLIENTS = 'a client of postgres, a Pool or function of @neondatabase/serverless, or Bun.sql';

/** In `try`, so that bundlers do not need it. */
async function loadPg() {
  try {
    return (await import('pg')).default;
  } catch (error) {
    throw missingDriver('a database URL', 'pg', error, OTHER_CLIENTS);
  }
}

/**
 * Opens a pool for a `postgres://` or `postgresql://` URL; `close` ends it. Needs the package `pg`. Connects
 * when the first statement runs.
 */
export async function fromPgUrl(url: string, { max = 2 }: PgUrlOptions = {}): Promise<SqlExecutor> {
  assertDatabaseUrl(url);
  const { Pool } = await loadPg();
  const pool = new Pool({
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
  return { ...executorOf(pool), close: () => (ended ??= pool.end()) };
}

function executorOf(pool: PgPoolLike): Required<Pick<SqlExecutor, 'execute' | 'prepared'>> {
  return preparing((text, values, signal, prepare) =>
    executeInPool(pool, prepare ? { name: nameOf(text), text } : text, values, signal),
  );
}

/** The same text has the same name, also in another process behind the same pooler. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `ids_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    names.set(text, name);
  }
  return name;
}

const names = new Map<string, string>();

async function executeInPool(
  pool: PgPoolLike,
  text: string | { readonly name: string; readonly text: string },
  values: readonly unknown[],
  signal: AbortSignal | undefined,
): Promise<SqlResult> {
  const client = await checkOut(pool, signal);
  const notices: string[] = [];
  const onNotice = ({ message, detail, routine }: PgNotice): void => {
    notices.push([message, detail, routine].filter(Boolean).join(' '));
  };
  let status = 'I';
  const onReady = (message: PgReady): void => {
    status = message.status ?? status;
  };
  client.on('notice', onNotice);
  client.connection?.on('readyForQuery', onReady);
  let sound = true;
  try {
    const { rows } = await abortable(client.query(text, [...values]), signal);
    assertOutsideTransaction(status);
    return { rows, notices };
  } catch (error) {
    // After a failure the connection may be half-open, or lead to a server that became a standby, so it is
    // not worth keeping. A collision with another transaction, which may be frequent, or a lock says nothing
    // of the kind.
    sound = isCollision(error) || isLockTimeout(error);
    throw error;
  } finally {
    client.removeListener('notice', onNotice);
    client.connection?.removeListener('readyForQuery', onReady);
    // A client that is dropped may still report its end later.
    if (sound) client.removeListener('error', ignoreError);
    client.release(!sound);
  }
}

const ignoreError = (): void => {};

/**
 * Gets a connection from the pool. One that comes after the abort is returned at once, unused.
 *
 * While a client is checked out, nobody else listens for its errors, and a lost connection would end the
 * process. So the listener is there in the turn in which the pool hands the client over: a server that shuts
 * down may send its last message in the same packet as the end of the log-in.
 */
function checkOut(pool: PgPoolLike, signal: AbortSignal | undefined): Promise<PgPoolClientLike> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    pool.connect((error, client) => {
      signal?.removeEventListener('abort', onAbort);
      if (client === undefined) return reject(error);
      if (signal?.aborted) return client.release();
      client.on('error', ignoreError);
      resolve(client);
    });
  });
}

/**
 * Somebody else may have returned a connection to the pool with its transaction still open, or with a BEGIN
 * that was not answered yet. So the answer to the statement decides. The connection is dropped, and with it
 * what the statement did: a later rollback would have the same segment reserved twice.
 */
function assertOutsideTransaction(status: string): void {
  if (status !== 'I') throw openTransaction();
}

const DATABASE_URL_RULE = 'a postgres:// or postgresql:// URL';

export function isDatabaseUrl(value: unknown): value is string {
  if (typeof value !== 'string' || SEVERAL_HOSTS.test(value)) return false;
  return /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
}

/** As psql takes them: behind the user and the password, which may have commas of their own. */
const SEVERAL_HOSTS = /^postgres(ql)?:\/\/[^/?#]*,[^/?#@]*([/?#]|$)/;

/**
 * What is wrong with a URL. It shows at most the scheme and the host, because the rest may contain a
 * password.
 */
export function describeBadUrl(value: string, rule: string = DATABASE_URL_RULE): string {
  if (SEVERAL_HOSTS.test(value)) {
    return 'must name one host, such as a proxy that follows the primary, since pg does not choose among several; or pass a client of postgres, which does, with target_session_attrs: "read-write"';
  }
  const shown = URL.canParse(value)
    ? `one with "${new URL(value).protocol}//${new URL(value).host}"`
    : 'another string';
  return `must be ${rule}, got ${shown}`;
}

/**
 * What is wrong with a URL that names a schema, as those of Prisma do. `pg` ignores it, so that tables of
 * other schemas would be read and written without a word.
 */
export function describeSchemaInUrl(value: unknown): string | undefined {
  const schema = isDatabaseUrl(value) ? new URL(value).searchParams.get('schema') : null;
  // Where names are looked up by default.
  if (schema === null || schema === 'public') return undefined;
  const path = encodeURIComponent(`-c search_path=${schema}`);
  return `must not have the parameter schema, which pg ignores, got schema=${schema}: name the schema in "table" and "column" instead, as in "${schema}.id_segment", or replace the parameter by options=${path}`;
}

export function assertDatabaseUrl(value: string, rule: string = DATABASE_URL_RULE): void {
  const problem = isDatabaseUrl(value) ? describeSchemaInUrl(value) : describeBadUrl(String(value), rule);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', `the database URL ${problem}`);
}
