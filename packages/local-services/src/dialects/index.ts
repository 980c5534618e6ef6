import { NEON_CLIENTS, POSTGRES_JS } from './clients.js';
import type { SqlDialect } from './dialect.js';
import { mariadb } from './mariadb.js';
import { postgres } from './postgres.js';
import { type FileDialect, SQLITE } from './sqlite.js';

export { openNeonHttp, openNeonPool, openPostgresJs } from './clients.js';
export type {
  Rows,
  SqlAccount,
  SqlClient,
  SqlDialect,
  SqlReplication,
  SqlServer,
  SqlSession,
} from './dialect.js';

export {
  connectToFile,
  type FileDialect,
  isFileLocked,
  openFolder,
  pathOfFile,
  SQLITE,
  SQLITE_DRIVERS,
  type SqliteConnection,
} from './sqlite.js';

/** Every kind of database with a server, for `describe.each`. */
export const SQL_DIALECTS: readonly SqlDialect[] = [postgres, mariadb];

/** And files of SQLite, for what needs no server, no account, and no lock on a row. */
export const ALL_DIALECTS: readonly (SqlDialect | FileDialect)[] = [...SQL_DIALECTS, SQLITE];

/** Postgres, through each of its other clients than `pg`. */
export const POSTGRES_CLIENTS: readonly SqlDialect[] = [POSTGRES_JS, ...NEON_CLIENTS];

/**
 * Every kind of database with a server, and Postgres through other clients: for what is about the client, or
 * the way to the server. Those of Neon take part in `test:with neon` only.
 */
export const SQL_CLIENTS: readonly SqlDialect[] = [
  ...SQL_DIALECTS,
  POSTGRES_JS,
  ...(process.env.IDS_SQL_CLIENTS === 'all' ? NEON_CLIENTS : []),
];
