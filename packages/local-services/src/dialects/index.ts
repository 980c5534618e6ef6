import type { SqlDialect } from './dialect.js';
import { mariadb } from './mariadb.js';
import { postgres } from './postgres.js';

export type { Rows, SqlAccount, SqlDialect, SqlReplication, SqlServer, SqlSession } from './dialect.js';

/** Every kind of database, for `describe.each`. */
export const SQL_DIALECTS: readonly SqlDialect[] = [postgres, mariadb];
