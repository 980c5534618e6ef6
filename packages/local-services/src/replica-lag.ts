import type { RedisServer } from './redis-process.js';
import { withRedis } from './with-redis.js';

/**
 * Makes `replica` keep the data it has and hear no more of `primary`, which refuses it, as after a change of passwords on one side.
 * For servers that tell others each other's addresses, so that no proxy can stand between them.
 */
export async function breakLink(primary: RedisServer, replica: RedisServer): Promise<void> {
  await withRedis(replica.url, (client) => client.config('SET', 'masterauth', 'not the password'));
  await withRedis(primary.url, (client) => client.call('CLIENT', 'KILL', 'TYPE', 'replica'));
}

/** Lets a server that `breakLink` cut off follow a primary again. */
export async function mendLink(server: RedisServer): Promise<void> {
  await withRedis(server.url, (client) => client.config('SET', 'masterauth', ''));
}
