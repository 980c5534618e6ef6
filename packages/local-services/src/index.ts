export { type LocalServices, type LocalServicesOptions, startLocalServices } from './local-services.js';
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres-server.js';
export { type RedisOptions, type RedisServer, startRedis } from './redis-server.js';
export { uniqueName } from './unique-name.js';
