/// <reference lib="esnext.disposable" preserve="true" />
// What is published: without the helpers of this repository's tests, whose types are those of `pg`.
export type { RedisClusterNode } from './cluster-node.js';
export { type FaultMode, type FaultProxy, startFaultProxy } from './fault-proxy.js';
export { uniqueName } from './isolation.js';
export { type LocalServices, type LocalServicesOptions, startLocalServices } from './local-services.js';
export { type MariadbReplication, startMariadbReplication } from './mariadb-replication.js';
export {
  createMysqlDatabase,
  type MariadbOptions,
  type MariadbServer,
  startMariadb,
} from './mariadb-server.js';
export { createMysqlAccount, type MysqlAccount } from './mysql-account.js';
export { dumpMysqlTable } from './mysql-table-dump.js';
export { type PgBouncer, type PgBouncerMode, type PgBouncerOptions, startPgBouncer } from './pgbouncer.js';
export {
  type PostgresReplication,
  type PostgresReplicationOptions,
  startPostgresReplication,
} from './postgres-replication.js';
export { createPostgresRole, type PostgresRole, type PostgresRoleOptions } from './postgres-role.js';
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres-server.js';
export { type RedisCluster, type RedisClusterOptions, startRedisCluster } from './redis-cluster.js';
export {
  type RedisReplication,
  type RedisReplicationOptions,
  startRedisReplication,
} from './redis-replication.js';
export {
  type RedisSentinelGroup,
  type RedisSentinelOptions,
  startRedisSentinel,
} from './redis-sentinel.js';
export { type RedisOptions, type RedisServer, startRedis } from './redis-server.js';
export { dumpTable, type TableDump } from './table-dump.js';
