import { resolve } from 'node:path';
import { IdError } from '@ids/core';
import { whileBusy } from '../busy.js';
import type { SqliteExecutor } from '../executor.js';
import { committed, waitsOf } from './commit.js';
import {
  connectionOver,
  isSqliteDatabase,
  type SqliteConnection,
  type SqliteDatabaseLike,
} from './connection.js';
import { openDriver, openSqlite } from './drivers.js';
import { assertSqliteDurable, OWN_SETTINGS } from './durability.js';
import { assertInPlace, fileAt, gone, identityOf, isSameFile, type OpenFile } from './identity.js';
import { letOthersRun } from './turn.js';

/** A connection with the file that it has open. */
interface OpenConnection extends OpenFile {
  readonly connection: SqliteConnection;
  /** When the file was last seen at its path, by the monotonic clock. */
  seenAt: number;
}

/**
 * Runs statements on a connection to a file; each commits by itself. The caller closes it. It must not be in
 * a transaction when ids are reserved: after a rollback the same segment would be reserved again.
 */
export function fromSqlite(database: SqliteDatabaseLike): SqliteExecutor {
  if (!isSqliteDatabase(database)) {
    throw new TypeError(
      'fromSqlite takes a Database of better-sqlite3 or libsql, or a DatabaseSync of node:sqlite',
    );
  }
  const connection = connectionOver(database);
  let opened: OpenConnection | undefined;
  const open = (): OpenConnection => (opened ??= openFileOf(connection));
  return executorOver(
    async () => open(),
    false,
    async () => {},
  );
}

/**
 * Opens the file of a URL, `sqlite:ids.db` or `sqlite:/var/lib/ids.db`, when the first statement runs;
 * `close` closes it. Needs `better-sqlite3`, `libsql`, or a Node.js with `node:sqlite`, and uses the first
 * that is there. If another file was put in its place, that is opened; if none, statements fail.
 */
export function fromSqliteUrl(url: string): SqliteExecutor {
  const path = resolvedPathOf(url);
  let opened: OpenConnection | undefined;
  let opening: Promise<OpenConnection> | undefined;
  const open = async (lately: boolean): Promise<OpenConnection> => {
    if (opened !== undefined) {
      if (lately && wasJustSeen(opened)) return opened;
      const now = identityOf(path);
      // Not created again: others may still have the ids of the one that is gone.
      if (now === undefined) throw gone(path);
      if (isSameFile(now, opened.file)) {
        opened.seenAt = performance.now();
        return opened;
      }
      opened.connection.close();
      opened = undefined;
    }
    const connection = await openSqlite(path);
    try {
      connection.exec(OWN_SETTINGS);
      opened = openFileOf(connection);
      return opened;
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  return executorOver(
    (lately) => (opening ??= open(lately).finally(() => (opening = undefined))),
    true,
    async () => {
      await opening?.catch(() => {});
      opened?.connection.close();
      opened = undefined;
    },
  );
}

/**
 * Opens the file of a URL as a database of the driver that is there, for a transaction of the caller, who
 * closes it. It loses no commit, and waits for no lock: for that, set `PRAGMA busy_timeout`.
 */
export async function openSqliteDatabase(url: string): Promise<SqliteDatabaseLike> {
  const database = await openDriver(resolvedPathOf(url));
  try {
    // They read the file, which may be locked.
    await whileBusy(() => database.exec(OWN_SETTINGS), undefined);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openFileOf(connection: SqliteConnection): OpenConnection {
  const main = connection.all('PRAGMA database_list', []).find(({ name }) => name === 'main');
  return { connection, ...fileAt(String(main?.file ?? '')), seenAt: performance.now() };
}

/**
 * For how long a look at the file will do before a statement, in milliseconds: it takes a tenth of the time
 * of a reservation. What is replaced meanwhile is found by the look after the statement.
 */
const JUST_MS = 1;

function wasJustSeen({ seenAt }: OpenConnection): boolean {
  return performance.now() - seenAt < JUST_MS;
}

/** Throws unless the file is still at its path. */
function look(file: OpenConnection): void {
  file.seenAt = Number.NEGATIVE_INFINITY;
  assertInPlace(file);
  file.seenAt = performance.now();
}

/** `open` gets the connection to the file that is at the path now or, if `lately`, was there a moment ago. */
function executorOver(
  open: (lately: boolean) => Promise<OpenConnection>,
  owned: boolean,
  close: () => Promise<void>,
): SqliteExecutor {
  let checked: OpenConnection | undefined;
  return {
    dialect: 'sqlite',
    execute: (text, values, signal, home) =>
      whileBusy(async () => {
        await letOthersRun();
        // Who names a home has asked for it.
        const file = await open(home !== undefined);
        if (home !== undefined && home !== file.file.id) throw gone(file.path);
        if (!wasJustSeen(file)) look(file);
        try {
          const rows = committed(file.connection, waitsOf(file.connection, owned), text, values);
          return { rows, notices: [] };
        } finally {
          // What was committed to a file that was deleted or replaced is seen by nobody else, and would be
          // issued again. What failed there says less than that.
          look(file);
        }
      }, signal),
    // Without a turn of its own: a statement follows.
    home: (signal) =>
      whileBusy(async () => {
        const file = await open(false);
        if (checked !== file) firstCheck(file, owned);
        // Nobody else changes the settings of an own one, and EXTRA is durable in each mode of others.
        else if (!owned) assertSqliteDurable(file.connection, file.path);
        checked = file;
        return { id: file.file.id, warnings: file.warnings };
      }, signal),
    close,
  };
}

/** The first check of a connection reads the file, which may be locked. Later ones do not. */
function firstCheck({ connection, path }: OpenConnection, owned: boolean): void {
  const waits = waitsOf(connection, owned);
  try {
    connection.exec(waits.stop);
    assertSqliteDurable(connection, path);
  } finally {
    connection.exec(waits.restore);
  }
}

export const SQLITE_URL_RULE = 'sqlite: with the path of a file, such as sqlite:ids.db';

export function isSqliteUrl(value: unknown): value is string {
  return typeof value === 'string' && pathOf(value) !== undefined;
}

/** The path of a `sqlite:` URL at which there is no file; undefined for any other database. */
export function missingFile(database: unknown): string | undefined {
  const path = typeof database === 'string' ? pathOf(database) : undefined;
  return path !== undefined && identityOf(path) === undefined ? path : undefined;
}

function resolvedPathOf(url: string): string {
  const path = pathOf(url);
  if (path === undefined) throw new IdError('ERR_IDS_CONFIG', `the database URL must be ${SQLITE_URL_RULE}`);
  return path;
}

/** A path is taken as it is: nothing in it is escaped, and there are no parameters. */
function pathOf(url: string): string | undefined {
  const [, path] = /^sqlite:(?:\/\/(?=\/))?([^?#]+)$/.exec(url) ?? [];
  return path === undefined || path.startsWith('//') || path.startsWith(':') ? undefined : resolve(path);
}
