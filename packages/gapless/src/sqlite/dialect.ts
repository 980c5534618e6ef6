import { NO_SQLITE_RIGHTS, noSqliteGrants, type SqliteExecutor } from '@ids/store/sqlite';
import type { SeriesDialect } from '../table/dialect.js';
import { sqliteGaps } from './gaps.js';
import { ensureSqliteNumberSchema, missingSqliteNumberSchema, sqliteNumberSchema } from './schema.js';
import { seedStatements, unseededStatement } from './seed.js';
import {
  acceptSqliteSeries,
  createSqliteSeries,
  createStatement,
  sqliteKeysStatement,
  sqliteSeriesChange,
  sqliteSeriesStatement,
} from './series.js';

export const sqliteDialect: SeriesDialect<SqliteExecutor> = {
  schema: sqliteNumberSchema,
  ensure: ensureSqliteNumberSchema,
  missing: missingSqliteNumberSchema,
  grants: noSqliteGrants,
  lackingRights: async () => NO_SQLITE_RIGHTS,
  create: createSqliteSeries,
  seriesSql: (name, table, documents) => {
    const create = createStatement(name, table);
    if (documents === undefined) return [create];
    return ['BEGIN IMMEDIATE', create, ...seedStatements({ name, table }, documents), 'COMMIT'];
  },
  accept: acceptSqliteSeries,
  findChange: sqliteSeriesChange,
  seriesStatement: sqliteSeriesStatement,
  keysStatement: sqliteKeysStatement,
  unseededStatement,
  gaps: sqliteGaps,
};
