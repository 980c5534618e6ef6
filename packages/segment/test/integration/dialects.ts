import { dumpMysqlTable, dumpTable } from '@ids/local-services';
import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import { inject } from 'vitest';
import { ensureSchema, fromMysql, fromPg, type SqlExecutor } from '../../src/sql/index.js';
import { openMysqlDatabase, openMysqlPool } from './mysql-database.js';
import { openDatabase, openPool } from './sql-database.js';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** An empty segment table in a database of either kind, gone after the test. */
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
  another(connections: number): SqlExecutor;
  /** Resolves once a statement on the table has waited for a lock, or for `ms` milliseconds of it. */
  untilWaiting(ms?: number): Promise<void>;
}

export interface TestDialect extends SqlDialect {
  open(options?: { readonly log?: boolean }): Promise<TestTable>;
}

/** Every kind of database, for `describe.each`. */
export const DIALECTS: readonly TestDialect[] = SQL_DIALECTS.map((kind) => ({
  ...kind,
  open: { postgres: openOnPostgres, mysql: openOnMariadb }[kind.dialect],
}));

async function openOnPostgres({ log = false } = {}): Promise<TestTable> {
  const { pool, executor, schema, table } = await openDatabase();
  await ensureSchema(executor, { table, log });
  const url = inject('databaseUrl');
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
    another: (connections) => fromPg(openPool({ max: connections })),
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
    another: (connections) => fromMysql(openMysqlPool({ connectionLimit: connections })),
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
