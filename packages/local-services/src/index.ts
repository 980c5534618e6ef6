export type { RedisClusterNode } from './cluster-node.js';
export { type FaultMode, type FaultProxy, startFaultProxy } from './fault-proxy.js';
export { type LocalServices, type LocalServicesOptions, startLocalServices } from './local-services.js';
export {
  type PostgresReplication,
  type PostgresReplicationOptions,
  startPostgresReplication,
} from './postgres-replication.js';
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres-server.js';
export { type RedisCluster, type RedisClusterOptions, startRedisCluster } from './redis-cluster.js';
export type { RedisServer } from './redis-process.js';
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
export { type RedisOptions, startRedis } from './redis-server.js';
export { dumpTable, type TableDump } from './table-dump.js';
export { uniqueName } from './unique-name.js';
