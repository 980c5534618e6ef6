import { inject } from 'vitest';
import { openPostgresPool } from '../postgres-pool.js';
import { startPostgresReplication } from '../postgres-replication.js';
import { createPostgresRole } from '../postgres-role.js';
import { startPostgres } from '../postgres-server.js';
import { dumpTable } from '../table-dump.js';
import type {} from '../vitest-setup.js';
import type { SqlDialect, SqlReplication, SqlSession } from './dialect.js';

export const postgres: SqlDialect = {
  dialect: 'postgres',
  server: 'Postgres',
  shared: async () => inject('databaseUrl'),
  start: (settings = {}) => startPostgres({ settings }),
  startReplication,
  connect,
  openPool: (url) => openPostgresPool(url),
  openClient: async (url, max = 4) => {
    const pool = openPostgresPool(url, { max });
    return { database: pool, end: () => pool.end() };
  },
  createAccount: (url) => createPostgresRole(url),
  connectionsOf: (account) => `SELECT FROM pg_stat_activity WHERE usename = '${account}'`,
  dumpTable,
  lockRows: (table) => `SELECT FROM ${table} FOR UPDATE`,
  lockTable: (table) => `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`,
  // The trigger of UPDATE refuses it, so it is off meanwhile.
  lower: (table, sequence, maxId) => [
    `ALTER TABLE ${table} DISABLE TRIGGER USER`,
    `UPDATE ${table} SET max_id = ${maxId} WHERE server_name = '${sequence}'`,
    `ALTER TABLE ${table} ENABLE TRIGGER USER`,
  ],
};

async function startReplication(settings: Readonly<Record<string, string>> = {}): Promise<SqlReplication> {
  const replication = await startPostgresReplication({ settings });
  const { primary, standby, link, caughtUp, promote, close } = replication;
  const cutOff = () => link.setMode('blackhole');
  return { primary, replica: standby, caughtUp, cutOff, promote, close, [Symbol.asyncDispose]: close };
}

function connect(url: string, max = 4): SqlSession {
  const pool = openPostgresPool(url, { max });
  const end = () => pool.end();
  return {
    query: async (sql) => (await pool.query(sql)).rows ?? [],
    hold: async (sql) => {
      const holder = await pool.connect();
      await holder.query('BEGIN');
      await holder.query(sql);
      return async () => {
        await holder.query('COMMIT');
        holder.release();
      };
    },
    waiting: async (text, ms = 0) => {
      const sql = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0
        AND clock_timestamp() - xact_start >= $2::int * interval '1 millisecond'`;
      return (await pool.query(sql, [text, ms])).rowCount ?? 0;
    },
    end,
    [Symbol.asyncDispose]: end,
  };
}
