import type { SqliteExecutor } from '@ids/store/sqlite';
import type { Dialect } from '../table/dialect.js';
import { sqliteGrantsWith } from './grant-log.js';
import { SqliteSegmentSource } from './segment-source.js';
import { createSqliteSequence, setSqliteFloor, sqliteSequenceSql } from './sequences.js';

/** SQLite 3.35 or later. */
export const sqliteDialect: Dialect<SqliteExecutor> = {
  source: (executor, options) => new SqliteSegmentSource(executor, options),
  createSequence: createSqliteSequence,
  sequenceSql: sqliteSequenceSql,
  setFloor: setSqliteFloor,
  grantsWith: sqliteGrantsWith,
};
