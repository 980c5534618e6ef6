// For the tests of this repository: what is published, and what only they need.
export type { RedisClusterNode } from './cluster-node.js';
export { uniqueName } from './isolation.js';
export { type LibsqlServer, type LibsqlServerOptions, startLibsql } from './libsql-server.js';
export { startMariadbReplication } from './mariadb-replication.js';
export { createMysqlDatabase, type MariadbServer, startMariadb } from './mariadb-server.js';
export { offsetWithMidnightIn } from './midnight.js';
export { createMysqlAccount, type MysqlAccount } from './mysql-account.js';
export { dumpMysqlTable } from './mysql-table-dump.js';
export { type PatroniCluster, type PatroniOptions, startPatroniCluster } from './patroni-cluster.js';
export type { PatroniNode } from './patroni-node.js';
export { type PgBouncer, type PgBouncerMode, type PgBouncerOptions, startPgBouncer } from './pgbouncer.js';
export { openPostgresPool, withPostgres } from './postgres-pool.js';
export { type PostgresReplication, startPostgresReplication } from './postgres-replication.js';
export { createPostgresRole, type PostgresRole } from './postgres-role.js';
export { type RedisCluster, type RedisClusterOptions, startRedisCluster } from './redis-cluster.js';
export { type RedisSentinelGroup, startRedisSentinel } from './redis-sentinel.js';
export * from './servers.js';
export { dumpTable, type TableDump } from './table-dump.js';
