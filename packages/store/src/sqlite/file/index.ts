export type { SqliteDatabaseLike } from './connection.js';
export { assertSqliteDriver } from './drivers.js';
export { fromLibsqlFile, type LibsqlFileClientLike } from './libsql-client.js';
export { fromSqlite, fromSqliteUrl } from './pool.js';
