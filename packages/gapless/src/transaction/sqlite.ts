import type { Row } from '@ids/store';
import { connectionOver, isSqliteDatabase, type SqliteDatabaseLike } from '@ids/store/sqlite/file';
import { rowsOf, type TransactionPort } from './port.js';
import { hasCalls, type Recogniser, type Shape } from './recogniser.js';

/** Handles stay open for long, so their statements stay prepared. */
const ports = new WeakMap<object, TransactionPort>();

function portOf(database: SqliteDatabaseLike): TransactionPort {
  const known = ports.get(database);
  if (known !== undefined) return known;
  const connection = connectionOver(database);
  const now = (text: string, values?: readonly unknown[]): readonly Row[] => {
    if (values !== undefined) return connection.all(text, values);
    connection.exec(text);
    return [];
  };
  const shape = database as unknown as Shape;
  // `node:sqlite` says it from 22.16 on. Of a closed database, libsql must not be asked: it ends the process.
  const open = ['inTransaction', 'isTransaction'].find((name) => name in shape);
  const port: TransactionPort = {
    dialect: 'sqlite',
    run: async (text) => now(text, []),
    sqlite: {
      now,
      isOpen: open === undefined ? undefined : () => shape.open !== false && shape[open] === true,
    },
  };
  ports.set(database, port);
  return port;
}

/** `better-sqlite3`, `libsql` and `node:sqlite`: the connection on which BEGIN was run. */
export const sqliteHandle: Recogniser = {
  name: 'a Database of better-sqlite3 or libsql, or a DatabaseSync of node:sqlite',
  recognise: (tx) => (isSqliteDatabase(tx) ? portOf(tx) : undefined),
};

/** `@libsql/client`: what `client.transaction` resolves with. */
export const libsqlTransaction: Recogniser = {
  name: 'a transaction of @libsql/client',
  recognise: (tx) =>
    hasCalls(tx, 'execute', 'executeMultiple', 'commit', 'rollback') && typeof tx.closed === 'boolean'
      ? overLibsql(tx)
      : undefined,
};

function overLibsql(
  tx: Shape & Readonly<Record<'execute' | 'executeMultiple', (sql: string) => unknown>>,
): TransactionPort {
  return {
    dialect: 'sqlite',
    run: async (text) => {
      // This call finishes what met a lock.
      if (!RETURNS_ROWS.test(text)) await tx.executeMultiple(text);
      return RETURNS_ROWS.test(text) ? rowsOf(await tx.execute(text)) : [];
    },
    // The transaction of a file is the only one that has a connection of its own.
    sqlite: { isOpen: () => tx.closed === false, remote: tx.constructor?.name !== 'Sqlite3Transaction' },
  };
}

const RETURNS_ROWS = /^SELECT\b|^PRAGMA \w+$|\bRETURNING\b/;

/** Drizzle over `better-sqlite3`, which answers at once, and over `@libsql/client`. */
export const drizzleSqlite: Recogniser = {
  name: 'tx of db.transaction of Drizzle over better-sqlite3 or @libsql/client',
  recognise(tx) {
    if (!hasCalls(tx, 'all', 'run', 'rollback', 'transaction')) return undefined;
    const { client, tx: own } = Object(tx.session) as Shape;
    if (own !== undefined) return libsqlTransaction.recognise(Object(own));
    return sqliteHandle.recognise(Object(client));
  },
};
