export { openPostgresPool, withPostgres } from './postgres-pool.js';
export * from './servers.js';
