import { anyDialect } from '@ids/store';
import { mysqlDialect } from './mysql/dialect.js';
import { postgresDialect } from './postgres/dialect.js';
import { sqliteDialect } from './sqlite/dialect.js';

/** What is different on the database of an executor, or on the one that is named. */
export const { of: seriesDialectOf } = anyDialect({
  postgres: postgresDialect,
  mysql: mysqlDialect,
  sqlite: sqliteDialect,
});
