import { dumpMysqlTable, dumpTable } from '@ids/local-services';
import {
  type FileDialect,
  SQL_CLIENTS,
  SQL_DIALECTS,
  SQLITE,
  type SqlDialect,
} from '@ids/local-services/dialects';
import { inject, onTestFinished } from 'vitest';
import {
  ensureSchema,
  fromMysql,
  fromSqliteUrl,
  openDatabase as openExecutor,
  type SqlExecutor,
} from '../../src/sql/index.js';
import { openMysqlDatabase, openMysqlPool } from './mysql-database.js';
import { openDatabase } from './sql-database.js';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** An empty segment table in a database of any kind, gone after the test. */
export interface TestTable {
  readonly executor: SqlExecutor;
  /** The database of the table, for an administrator. */
  readonly url: string;
  /** The name with its schema, or database, for the `table` options. */
  readonly table: string;
  /** The part before the dot. */
  readonly schema: string;
  /** Runs SQL as the owner of the table, with `%t` for the table. */
  run(sql: string): Promise<Rows>;
  /** Holds what a statement locks, until what it resolves with is called. */
  hold(sql: string): Promise<() => Promise<void>>;
  /** Dumps the table; what it resolves with restores it. */
  dump(): Promise<() => Promise<void>>;
  /** An executor with connections of its own. */
  another(connections: number): Promise<SqlExecutor>;
  /** Resolves once a statement on the table has waited for a lock, or for `ms` milliseconds of it. */
  untilWaiting(ms?: number): Promise<void>;
}

interface Opening {
  open(options?: { readonly log?: boolean }): Promise<TestTable>;
}

export type TestDialect = SqlDialect & Opening;

/** Every kind of database with a server, for `describe.each`. */
export const DIALECTS: readonly TestDialect[] = SQL_DIALECTS.map((kind) => ({
  ...kind,
  open: kind.dialect === 'postgres' ? openOnPostgres(kind) : openOnMariadb,
}));

/** Files of SQLite. */
export const IN_FILES: FileDialect & Opening = { ...SQLITE, open: openInFile };

/** Every kind of database, and files. */
export const ALL_DIALECTS = [...DIALECTS, IN_FILES];

async function openInFile({ log = false } = {}): Promise<TestTable> {
  const url = await SQLITE.shared();
  const { query, hold } = SQLITE.connect(url);
  const table = 'id_segment';
  const another = async () => {
    const executor = fromSqliteUrl(url);
    onTestFinished(() => executor.close());
    return executor;
  };
  const executor = await another();
  await ensureSchema(executor, { table, log });
  return {
    executor,
    url,
    table,
    schema: 'main',
    run: (sql) => query(sql.replaceAll('%t', table)),
    hold,
    dump: async () => {
      const dump = await SQLITE.dumpTable(url, table);
      return () => dump.restoreTo(url);
    },
    another,
    untilWaiting: () => Promise.reject(new Error('SQLite does not tell who waits for a lock')),
  };
}

/** The same with each client that Postgres has. */
export const CLIENTS: readonly TestDialect[] = [
  ...DIALECTS,
  ...SQL_CLIENTS.slice(SQL_DIALECTS.length).map((kind) => ({ ...kind, open: openOnPostgres(kind) })),
];

function openOnPostgres(kind: SqlDialect): TestDialect['open'] {
  return (options) => openTable(kind, options);
}

/** An executor over a client of its own, which ends with the test. */
export async function executorThrough(
  { openClient }: SqlDialect,
  url: string,
  connections?: number,
): Promise<SqlExecutor> {
  const { database, end } = await openClient(url, connections);
  onTestFinished(end);
  return openExecutor(database);
}

async function openTable(kind: SqlDialect, { log = false } = {}): Promise<TestTable> {
  const { pool, schema, table } = await openDatabase();
  const url = inject('databaseUrl');
  const executor = await executorThrough(kind, url);
  await ensureSchema(executor, { table, log });
  return {
    executor,
    url,
    table,
    schema,
    run: async (sql) => (await pool.query(sql.replaceAll('%t', table))).rows ?? [],
    hold: async (sql) => {
      const holder = await pool.connect();
      await holder.query(`BEGIN; ${sql.replaceAll('%t', table)}`);
      return async () => {
        await holder.query('COMMIT');
        holder.release();
      };
    },
    dump: async () => {
      const dump = await dumpTable(url, table);
      return () => dump.restoreTo(url);
    },
    another: (connections) => executorThrough(kind, url, connections),
    untilWaiting: async (ms = 0) => {
      const sql = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0
        AND clock_timestamp() - xact_start > $2::int * interval '1 millisecond'`;
      while ((await pool.query(sql, [schema, ms])).rowCount === 0);
    },
  };
}

async function openOnMariadb({ log = false } = {}): Promise<TestTable> {
  const { pool, executor, database: schema, table } = await openMysqlDatabase();
  await ensureSchema(executor, { table, log });
  const url = new URL(`/${schema}`, inject('mysqlUrl')).href;
  return {
    executor,
    url,
    table,
    schema,
    run: async (sql) => {
      const [rows] = await pool.query(sql.replaceAll('%t', table));
      return Array.isArray(rows) ? (rows as Rows) : [];
    },
    hold: async (sql) => {
      const holder = await pool.getConnection();
      await holder.query('BEGIN');
      await holder.query(sql.replaceAll('%t', table));
      return async () => {
        await holder.query('COMMIT');
        await holder.query('UNLOCK TABLES');
        holder.release();
      };
    },
    dump: async () => {
      const dump = await dumpMysqlTable(url, 'id_segment');
      return () => dump.restoreTo(url);
    },
    another: async (connections) => fromMysql(openMysqlPool({ connectionLimit: connections })),
    untilWaiting: async (ms = 0) => {
      const sql = `SELECT 1 FROM information_schema.PROCESSLIST WHERE COMMAND = 'Query' AND INFO LIKE ?
        AND /*M! TIME_MS */ /*!80000 1000 * TIME */ > ? AND ID <> CONNECTION_ID()`;
      for (;;) {
        const [rows] = await pool.query(sql, [`%UPDATE%${schema}%`, Math.max(ms, 20)]);
        if (Array.isArray(rows) && rows.length > 0) return;
      }
    },
  };
}
