import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Rows, SqlDialect, SqlSession } from './dialect.js';

/** A connection to a file, of `better-sqlite3` or `libsql`; of `node:sqlite` without `open` and `reader`. */
export interface SqliteConnection {
  readonly open: boolean;
  prepare(sql: string): {
    /** Whether it returns rows. */
    readonly reader: boolean;
    all(...values: readonly unknown[]): Record<string, unknown>[];
    get(...values: readonly unknown[]): Record<string, unknown> | undefined;
    run(...values: readonly unknown[]): unknown;
  };
  exec(sql: string): unknown;
  close(): unknown;
}

/** What tests need of a kind of database that has no server: files of SQLite. */
export interface FileDialect
  extends Pick<SqlDialect, 'server' | 'shared' | 'connect' | 'dumpTable' | 'lower'> {
  readonly dialect: 'sqlite';
  openPool(url: string): SqliteConnection;
}

/**
 * What opens files on this Node.js, by the name of the driver: version 13 of `better-sqlite3` needs 22. A
 * `sqlite:` URL opens the first of them, and so do the tests of one file: two libraries in one process do not
 * see each other's locks.
 */
export const SQLITE_DRIVERS: readonly {
  readonly driver: string;
  /** The caller closes what it opens. */
  readonly open: (path: string) => SqliteConnection;
}[] = [
  { driver: 'better-sqlite3', exported: undefined, since: 22 },
  { driver: 'libsql', exported: undefined, since: 20 },
  { driver: 'node:sqlite', exported: 'DatabaseSync', since: 22 },
]
  .filter(({ since }) => Number(process.versions.node.split('.', 1)[0]) >= since)
  .map(({ driver, exported }) => ({
    driver,
    open: (path) => {
      const module = createRequire(import.meta.url)(driver);
      const Driver: new (path: string) => SqliteConnection =
        exported === undefined ? module : module[exported];
      return new Driver(path);
    },
  }));

const [{ open: openFile }] = SQLITE_DRIVERS as [(typeof SQLITE_DRIVERS)[number]];

function open(file: string): SqliteConnection {
  return openFile(pathOfFile(file));
}

/** A folder that is gone after the test. */
export function openFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'ids-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A connection to a file, by path or URL, that loses no commit and waits for locks; ends with the test. */
export function connectToFile(file: string): SqliteConnection {
  const connection = open(file);
  onTestFinished(() => {
    if (connection.open) connection.close();
  });
  connection.exec('PRAGMA synchronous = EXTRA; PRAGMA busy_timeout = 5000');
  return connection;
}

/** The path in a URL; a path is returned as it is. */
export function pathOfFile(url: string): string {
  return url.replace(/^sqlite:/, '');
}

/** Whether somebody is writing to a file now. */
export function isFileLocked(file: string): boolean {
  const connection = open(file);
  try {
    connection.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch {
    return true;
  } finally {
    connection.close();
  }
}

export const SQLITE: FileDialect = {
  dialect: 'sqlite',
  server: 'SQLite',
  /** A file of its own, gone after the test. */
  shared: async () => `sqlite:${join(openFolder(), 'ids.db')}`,
  connect,
  openPool: connectToFile,
  /** Of the whole file, as backups are: `restoreTo` puts another file in its place. */
  dumpTable: async (url) => {
    const path = pathOfFile(url);
    const backup = join(openFolder(), 'backup.db');
    copyFileSync(path, backup);
    return {
      restoreTo: async (target) => {
        const next = `${pathOfFile(target)}.restored`;
        copyFileSync(backup, next);
        renameSync(next, pathOfFile(target));
      },
    };
  },
  // Triggers cannot be switched off.
  lower: (table, sequence, maxId) => [
    `DROP TRIGGER ${table}_update`,
    `UPDATE ${table} SET max_id = ${maxId} WHERE server_name = '${sequence}'`,
  ],
};

/** Each statement opens the file that is there then, and waits for locks. */
function connect(url: string): SqlSession {
  const onFile = <T>(use: (connection: SqliteConnection) => T): T => {
    const connection = open(url);
    try {
      connection.exec('PRAGMA busy_timeout = 5000');
      return use(connection);
    } finally {
      connection.close();
    }
  };
  const end = async () => {};
  return {
    query: async (sql) =>
      onFile((connection): Rows => {
        const statement = connection.prepare(sql);
        if (statement.reader) return statement.all();
        statement.run();
        return [];
      }),
    hold: async (sql) => {
      const holder = connectToFile(url);
      holder.exec(`BEGIN IMMEDIATE; ${sql}`);
      return async () => void holder.exec('COMMIT');
    },
    waiting: () => Promise.reject(new Error('SQLite does not tell who waits for a lock')),
    end,
    [Symbol.asyncDispose]: end,
  };
}
