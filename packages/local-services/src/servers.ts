/// <reference lib="esnext.disposable" preserve="true" />
// What is published: what `@ids/bench` needs at run time, and what a test of an own strategy does.
export { type FaultMode, type FaultProxy, startFaultProxy } from './fault-proxy.js';
export { type LocalServices, type LocalServicesOptions, startLocalServices } from './local-services.js';
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres-server.js';
export {
  type RedisReplication,
  type RedisReplicationOptions,
  startRedisReplication,
} from './redis-replication.js';
export { type RedisOptions, type RedisServer, startRedis } from './redis-server.js';
