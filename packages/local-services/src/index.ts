export { type PatroniCluster, type PatroniOptions, startPatroniCluster } from './patroni-cluster.js';
export type { PatroniNode } from './patroni-node.js';
export { openPostgresPool, withPostgres } from './postgres-pool.js';
export * from './servers.js';
