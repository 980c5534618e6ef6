import { NO_SQLITE_RIGHTS, noSqliteGrants, type SqliteExecutor } from '@ids/store/sqlite';
import type { Dialect } from '../table/dialect.js';
import { deleteSqliteKey } from './delete-key.js';
import { sqliteGroupNow } from './family.js';
import { whoIssuedSqlite } from './grant-log.js';
import { SqliteKeyedSource } from './keyed-source.js';
import { describeSqliteKey, raiseSqliteKey } from './one-key.js';
import { ensureSqliteKeyedSchema, missingSqliteKeyedSchema, sqliteKeyedSchema } from './schema.js';

/** SQLite 3.35 or later. */
export const sqliteDialect: Dialect<SqliteExecutor> = {
  source: (executor, options) => new SqliteKeyedSource(executor, options),
  keyedSchema: sqliteKeyedSchema,
  ensureKeyedSchema: ensureSqliteKeyedSchema,
  missingKeyedSchema: missingSqliteKeyedSchema,
  keyedGrants: noSqliteGrants,
  lackingKeyRights: async () => NO_SQLITE_RIGHTS,
  groupNow: sqliteGroupNow,
  describeKey: describeSqliteKey,
  raiseKey: raiseSqliteKey,
  deleteKey: deleteSqliteKey,
  whoIssued: whoIssuedSqlite,
};
