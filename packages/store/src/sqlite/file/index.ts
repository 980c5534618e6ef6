export {
  connectionOver,
  isSqliteDatabase,
  type SqliteConnection,
  type SqliteDatabaseLike,
} from './connection.js';
export { assertSqliteDriver } from './drivers.js';
export { assertDurableSettings } from './durability.js';
export { assertInPlace, fileAt, type OpenFile } from './identity.js';
export { fromLibsqlFile, type LibsqlFileClientLike } from './libsql-client.js';
export { fromSqlite, fromSqliteUrl, missingFile, openSqliteDatabase } from './pool.js';
