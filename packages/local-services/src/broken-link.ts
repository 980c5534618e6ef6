import type { RedisServer } from './redis-process.js';
import { withRedis } from './with-redis.js';

/**
 * Makes `replica` lag from now on: it keeps what it has, and its primary refuses it, as after a password was changed on one side only.
 * Works where no proxy can stand between the two because they tell others each other's addresses.
 */
export async function breakReplicationLink(primary: RedisServer, replica: RedisServer): Promise<void> {
  await withRedis(replica.url, (client) => client.config('SET', 'masterauth', 'not the password'));
  await withRedis(primary.url, (client) => client.call('CLIENT', 'KILL', 'TYPE', 'replica'));
}
