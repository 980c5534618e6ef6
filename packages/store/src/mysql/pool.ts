import { IdError } from '@ids/core';
import { abortable } from '@ids/core/strategy';
import type { Row, SqlExecutor, SqlResult } from '../executor.js';
import { missingDriver } from '../missing-driver.js';
import { assertOnePrimary, PRIMARIES_STATEMENT, readFacts } from './durability.js';
import { isCollision, isLockTimeout, NO_AUTOCOMMIT } from './errors.js';
import { withoutTls } from './url.js';

/** A pool of `mysql2`: that of `mysql2/promise`, or the one with callbacks. */
export interface MysqlPoolLike {
  readonly getConnection: (...given: never[]) => unknown;
  readonly end: (...given: never[]) => unknown;
}

/** What was read after a statement, and how many rows that statement has changed. */
interface MysqlChange extends SqlResult {
  readonly changed: number;
}

/** What a reservation has done. */
interface MysqlGrant {
  /** The `max_id` that it wrote; undefined if no row matched. */
  readonly high: string | undefined;
  /** Whether the triggers of the grant log are there. */
  readonly logged: boolean;
}

/** The port to a MySQL or MariaDB server. */
export interface MysqlExecutor extends SqlExecutor {
  readonly dialect: 'mysql';
  /** Runs one statement that changes rows, and makes sure that it has committed by itself. */
  commit(text: string, signal?: AbortSignal): Promise<void>;
  /**
   * The same, and then reads on the same connection. `read` is a statement, or returns one for the number of
   * changed rows. Behind a proxy, it may reach another server: the rows must show by themselves that they are
   * those of the change.
   */
  change(
    text: string,
    read: string | ((changed: number) => string),
    signal?: AbortSignal,
  ): Promise<MysqlChange>;
  /** The same for a reservation; `grantId` is the one in the statement, in hexadecimal digits. */
  reserve(text: string, grantId: string, signal?: AbortSignal): Promise<MysqlGrant>;
  /** Runs statements on one connection, which is closed then: what they set or lock ends with it. */
  apart(
    use: (run: (text: string) => Promise<readonly Row[]>) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void>;
}

interface CallbackPool {
  getConnection(callback: (error: Error | null, connection: Connection) => void): void;
}

interface Connection {
  query(options: object, callback: (error: Error | null, result: unknown) => void): unknown;
  release(): void;
  destroy(): void;
  readonly stream?: { ref?(): void; unref?(): void; destroy?(): void };
}

export function isMysqlExecutor(executor: SqlExecutor): executor is MysqlExecutor {
  return executor.dialect === 'mysql';
}

export function isMysqlPool(value: unknown): value is MysqlPoolLike {
  return callbackPoolOf(value) !== undefined;
}

/** The pool with callbacks, which the one with promises wraps. A connection has no `getConnection`. */
function callbackPoolOf(value: unknown): CallbackPool | undefined {
  const { pool = value } = Object(value) as { readonly pool?: unknown };
  const { getConnection, promise } = Object(pool) as Record<string, unknown>;
  return typeof getConnection === 'function' && typeof promise === 'function'
    ? (pool as CallbackPool)
    : undefined;
}

/**
 * Runs statements through a pool of `mysql2`; each commits by itself. The caller closes the pool. Throws a
 * `TypeError` for a connection, because it may be inside a transaction: after a rollback the same segment
 * would be reserved again.
 */
export function fromMysql(pool: MysqlPoolLike): MysqlExecutor {
  const inner = callbackPoolOf(pool);
  if (inner === undefined) {
    throw new TypeError(
      'fromMysql takes a pool of mysql2, not a connection: a reservation must commit by itself',
    );
  }
  return executorOver(inner, async () => {}, false);
}

export interface MysqlUrlOptions {
  /** The most connections that the pool may open, at least 1; default 2. */
  readonly max?: number;
}

/** In `try`, so that bundlers do not need it. */
async function loadMysql2() {
  try {
    return (await import('mysql2')).default;
  } catch (error) {
    throw missingDriver('a mysql:// URL', 'mysql2', error);
  }
}

/**
 * Opens a pool for a `mysql://` or `mariadb://` URL; `close` ends it. Needs the package `mysql2`. Connects
 * when the first statement runs.
 */
export async function fromMysqlUrl(url: string, { max = 2 }: MysqlUrlOptions = {}): Promise<MysqlExecutor> {
  if (!isMysqlUrl(url)) {
    // Not shown, because it may contain a password.
    throw new IdError('ERR_IDS_CONFIG', `the database URL must be ${MYSQL_URL_RULE}`);
  }
  const { uri, ssl } = withoutTls(url.replace(/^mariadb:/, 'mysql:'));
  const { createPool } = await loadMysql2();
  const pool = createPool({
    uri,
    ...(ssl && { ssl }),
    connectionLimit: max,
    connectTimeout: 5_000,
    enableKeepAlive: true,
    connectAttributes: { program_name: 'ids' },
  });
  // The pool listens for one error of a connection only. A second one, as when what was sent to a server that
  // has gone times out, would end the process.
  pool.on('connection', (connection) => connection.on('error', () => {}));
  let ended: Promise<void> | undefined;
  // A connection that could not be opened reports that again when it is ended. It is gone all the same.
  const end = () => (ended ??= new Promise<void>((resolve) => pool.end(() => resolve())));
  return executorOver(pool as unknown as CallbackPool, end, true);
}

function executorOver(pool: CallbackPool, close: () => Promise<void>, owned: boolean): MysqlExecutor {
  return {
    dialect: 'mysql',
    execute: (text, _values, signal) => onConnection(pool, owned, signal, (run) => currentRows(run, text)),
    commit: (text, signal) =>
      onConnection(pool, owned, signal, async (run) => void (await committed(run, text))),
    change: (text, read, signal) =>
      onConnection(pool, owned, signal, async (run) => {
        const changed = Number((await committed(run, text)).affectedRows);
        return { ...(await rowsOf(run, typeof read === 'string' ? read : read(changed))), changed };
      }),
    reserve: (text, grantId, signal) =>
      onConnection(pool, owned, signal, (run) => granted(run, text, grantId)),
    apart: (use, signal) =>
      onConnection(pool, owned, signal, (run) => use(async (text) => (await rowsOf(run, text)).rows), false),
    close,
  };
}

type RunOne = (text: string) => Promise<unknown>;

async function rowsOf(run: RunOne, text: string): Promise<SqlResult> {
  const result = await run(text);
  return { rows: Array.isArray(result) ? result : [], notices: [] };
}

/**
 * Rows as they are now: inside a transaction that somebody left open, they may be those of an old snapshot.
 * The driver hides the flags that come with rows, so another answer is asked for.
 */
async function currentRows(run: RunOne, text: string): Promise<SqlResult> {
  const result = await rowsOf(run, text);
  await committed(run, 'DO 0');
  return result;
}

/** Flags of the server's answer: https://mariadb.com/kb/en/ok_packet/#server-status-flag */
const IN_TRANSACTION = 1;

const AUTOCOMMIT = 2;

/**
 * A statement is not used unless the server says that it has committed. Otherwise the connection is dropped,
 * and with it what the statement did: a later rollback would have the same segment reserved twice.
 */
async function committed(run: RunOne, text: string): Promise<Readonly<Record<string, unknown>>> {
  const header = Object(await run(text)) as Record<string, unknown>;
  const status = Number(header.serverStatus ?? 0);
  if ((status & AUTOCOMMIT) === 0) throw new IdError('ERR_IDS_CONFIG', NO_AUTOCOMMIT);
  if ((status & IN_TRANSACTION) === 0) return header;
  throw new IdError(
    'ERR_IDS_UNAVAILABLE',
    'the pool returned a connection with a transaction open; a reservation must commit by itself',
  );
}

async function granted(run: RunOne, text: string, grantId: string): Promise<MysqlGrant> {
  const { affectedRows, insertId } = await committed(run, text);
  if (Number(affectedRows) === 0) return { high: undefined, logged: false };
  if (String(insertId) !== '0') return { high: String(insertId), logged: false };
  // With triggers of UPDATE, which the grant log needs, the server's answer does not have the number. They
  // leave it in a variable of the session. The id of the grant shows that it is from this statement: behind
  // a proxy, the next one may run elsewhere. If this answer is lost, nobody uses the segment.
  const [row] = (await rowsOf(run, 'SELECT @ids_granted AS granted')).rows;
  const [id, high] = String(row?.granted ?? '').split(' ');
  if (id?.toLowerCase() === grantId && high !== undefined) return { high, logged: true };
  throw new IdError(
    'ERR_IDS_UNAVAILABLE',
    'the reserved number is unknown, so it is not used: a proxy runs the statements of one connection ' +
      'on several, or an UPDATE trigger was added to the table',
  );
}

/** The connections on which it was checked. Each is one server for as long as it lives. */
const checked = new WeakSet<Connection>();

/** Run twice or after a loss, it reads the same again. */
async function checkServer(connection: Connection, run: RunOne): Promise<void> {
  if (checked.has(connection)) return;
  assertOnePrimary(readFacts((await rowsOf(run, PRIMARIES_STATEMENT)).rows));
  checked.add(connection);
}

/**
 * Runs `use` on a connection. Drops it after a failure or an abort, because what is in flight must not be
 * reused, and unless it `mayStay`.
 */
async function onConnection<T>(
  pool: CallbackPool,
  owned: boolean,
  signal: AbortSignal | undefined,
  use: (run: RunOne) => Promise<T>,
  mayStay = true,
): Promise<T> {
  const connection = await checkOut(pool, owned, signal);
  // An idle connection of a pool that was opened here must not keep the user's process alive.
  if (owned) connection.stream?.ref?.();
  const run: RunOne = (text) => query(connection, text);
  let sound = mayStay;
  try {
    return await abortable(
      checkServer(connection, run).then(() => use(run)),
      signal,
    );
  } catch (error) {
    // A collision with others or a lock says nothing about the connection.
    sound = mayStay && (isCollision(error) || isLockTimeout(error));
    throw error;
  } finally {
    if (sound) giveBack(connection, owned);
    else drop(connection);
  }
}

function giveBack(connection: Connection, owned: boolean): void {
  // Before the release, which may give it to the next one at once.
  if (owned) connection.stream?.unref?.();
  connection.release();
}

function drop(connection: Connection): void {
  connection.destroy();
  // The driver waits for the other side to close as well, which may be out of reach.
  connection.stream?.destroy?.();
}

/** Gets a connection from the pool. One that comes after the abort is returned at once, unused. */
function checkOut(pool: CallbackPool, owned: boolean, signal: AbortSignal | undefined): Promise<Connection> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    pool.getConnection((error, connection) => {
      signal?.removeEventListener('abort', onAbort);
      if (error) reject(error);
      else if (signal?.aborted) giveBack(connection, owned);
      else resolve(connection);
    });
  });
}

/** With the settings that a pool might have changed; texts, since a number may not hold every BIGINT. */
function query(connection: Connection, sql: string): Promise<unknown> {
  // Only a function overrules that of the pool.
  const typeCast = (_field: unknown, next: () => unknown): unknown => next();
  const options = { sql, rowsAsArray: false, nestTables: false, typeCast };
  return new Promise((resolve, reject) => {
    connection.query(options, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

const MYSQL_URL_RULE = 'a mysql:// or mariadb:// URL';

export function isMysqlUrl(value: unknown): value is string {
  return typeof value === 'string' && /^(mysql|mariadb):\/\//.test(value) && URL.canParse(value);
}
