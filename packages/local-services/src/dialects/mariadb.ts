import mysql from 'mysql2/promise';
import { inject } from 'vitest';
import { startMariadbReplication } from '../mariadb-replication.js';
import { createMysqlDatabase, startMariadb } from '../mariadb-server.js';
import { createMysqlAccount } from '../mysql-account.js';
import { dumpMysqlTable } from '../mysql-table-dump.js';
import type {} from '../vitest-mariadb.js';
import type { Rows, SqlDialect, SqlReplication, SqlServer, SqlSession } from './dialect.js';

export const mariadb: SqlDialect = {
  dialect: 'mysql',
  server: 'MariaDB',
  shared: () => createMysqlDatabase(inject('mysqlUrl')),
  start: async (settings = {}) => {
    const server = await startMariadb({ settings: { log_bin: 'bin', sync_binlog: '1', ...settings } });
    return withUrl(server, await server.createDatabase('app'));
  },
  startReplication,
  connect,
  openPool: (url) => mysql.createPool(url),
  openClient: async (url, max = 4) => {
    const pool = mysql.createPool({ uri: url, connectionLimit: max });
    return { database: pool, end: () => pool.end() };
  },
  createAccount: (url) => createMysqlAccount(url),
  connectionsOf: (account) => `SELECT 1 FROM information_schema.PROCESSLIST WHERE USER = '${account}'`,
  dumpTable: dumpMysqlTable,
  lockRows: (table) => `SELECT 1 FROM ${table} FOR UPDATE`,
  lockTable: (table) => `LOCK TABLES ${table} WRITE`,
  // The CHECK refuses it, unless the mark goes back as well.
  lower: (table, sequence, maxId) => [
    `UPDATE ${table} SET max_id = ${maxId}, reserved_to = ${maxId} WHERE server_name = '${sequence}'`,
  ],
};

/** The same server, whose URL names a database: a table without one needs that. */
function withUrl(server: SqlServer, url: string): SqlServer {
  const close = () => server.close();
  return {
    url,
    port: server.port,
    get pid() {
      return server.pid;
    },
    stop: (mode) => server.stop(mode),
    start: () => server.start(),
    createDatabase: (name) => server.createDatabase(name),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function startReplication(settings: Readonly<Record<string, string>> = {}): Promise<SqlReplication> {
  const replication = await startMariadbReplication({ settings });
  const { link, caughtUp, promote, close } = replication;
  const primary = withUrl(replication.primary, await replication.primary.createDatabase('app'));
  await caughtUp();
  const replica = withUrl(replication.replica, new URL('/app', replication.replica.url).href);
  const cutOff = () => link.setMode('blackhole');
  return { primary, replica, caughtUp, cutOff, promote, close, [Symbol.asyncDispose]: close };
}

/** A statement that takes longer than this waits for something. */
const WAITS_AFTER_MS = 200;

function connect(url: string, max = 4): SqlSession {
  const pool = mysql.createPool({ uri: url, connectionLimit: max });
  const end = () => pool.end();
  return {
    query: async (sql) => {
      const [rows] = await pool.query(sql);
      return Array.isArray(rows) ? (rows as Rows) : [];
    },
    hold: async (sql) => {
      const holder = await pool.getConnection();
      await holder.query('BEGIN');
      await holder.query(sql);
      return async () => {
        await holder.query('COMMIT');
        await holder.query('UNLOCK TABLES');
        holder.release();
      };
    },
    waiting: async (text, ms = 0) => {
      // MySQL counts whole seconds; each of the two servers skips what is for the other one.
      const sql = `SELECT 1 FROM information_schema.PROCESSLIST WHERE COMMAND = 'Query' AND INFO REGEXP ?
        AND /*M! TIME_MS */ /*!80000 1000 * TIME */ >= ? AND ID <> CONNECTION_ID()`;
      const [rows] = await pool.query(sql, [`(?s)(UPDATE|INSERT).*${text}`, Math.max(ms, WAITS_AFTER_MS)]);
      return Array.isArray(rows) ? rows.length : 0;
    },
    end,
    [Symbol.asyncDispose]: end,
  };
}
