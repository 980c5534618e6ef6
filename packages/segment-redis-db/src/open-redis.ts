import { IdError } from '@ids/core';
import { isMissing, missingDriver } from '@ids/store';
import { isNodeRedisLike, NodeRedisDriver, type NodeRedisLike } from './node-redis.js';
import { openIoredis } from './open-ioredis.js';
import { openNodeRedis } from './open-node-redis.js';
import type { OpenRedis } from './open-url.js';
import type { RedisLike } from './scripts.js';

/** A client of either package: see `RedisLike` for ioredis, and `NodeRedisLike` for node-redis. */
export type RedisClient = RedisLike | NodeRedisLike;

/** `client`, as the dispenser calls it. */
export function driverOf(client: RedisClient): RedisLike {
  return isNodeRedisLike(client) ? new NodeRedisDriver(client) : client;
}

/**
 * The client of the caller, or a new connection to a `redis://` or `rediss://` URL, by ioredis if it is
 * installed, and otherwise by node-redis. It keeps the process alive only while it is being opened. Rejects
 * with `ERR_IDS_UNAVAILABLE` if there is no connection, with `ERR_IDS_TIMEOUT` if nothing answers on it
 * within `limitMs` or three seconds, and with `ERR_IDS_CONFIG` if neither package is installed.
 */
export async function openRedis(redis: RedisClient | string, limitMs: number): Promise<OpenRedis> {
  if (typeof redis !== 'string') return { redis: driverOf(redis), close: async () => {} };
  const ioredis = await loadIoredis();
  if (ioredis !== undefined) return openIoredis(ioredis, redis, limitMs);
  const nodeRedis = await loadNodeRedis();
  if (nodeRedis !== undefined) return openNodeRedis(nodeRedis, redis, limitMs);
  throw new IdError(
    'ERR_IDS_CONFIG',
    'a Redis URL needs the package "ioredis" or "redis": run `npm install ioredis` or `npm install redis`, or pass a client',
  );
}

// In `try`, so that bundlers need neither. Undefined if it is not there; one that is broken rejects.

async function loadIoredis() {
  try {
    return await import('ioredis');
  } catch (error) {
    if (isMissing('ioredis', error)) return undefined;
    throw missingDriver('a Redis URL', 'ioredis', error);
  }
}

async function loadNodeRedis() {
  try {
    return await import('redis');
  } catch (error) {
    if (isMissing('redis', error)) return undefined;
    throw missingDriver('a Redis URL', 'redis', error);
  }
}
