import { IdError } from '@ids/core';
import { explainRedisError, noDatabase } from './redis-error.js';
import type { RedisLike } from './scripts.js';

/** The time limit of the first connection. */
export const CONNECT_TIMEOUT_MS = 3_000;

export interface OpenRedis {
  readonly redis: RedisLike;
  /** Closes what was opened here; a client of the caller stays open. */
  close(): Promise<void>;
}

/** How long to wait before the attempt to connect again with this number, in milliseconds. */
export function reconnectDelay(attempt: number): number {
  return Math.min(attempt * 50, 1_000);
}

export function databaseRefused(url: string): IdError {
  const rule = 'the database in the URL must be a whole number, 0 or more';
  return new IdError('ERR_IDS_CONFIG', `option "redis": ${rule}, got "${new URL(url).pathname.slice(1)}"`);
}

/** Why the first connection failed. The URL may contain a password. */
export function refusedAt(url: string, cause: unknown): IdError {
  const explained = explainRedisError(cause);
  if (explained.code !== 'ERR_IDS_UNAVAILABLE') return explained;
  const { hostname, port, pathname } = new URL(url);
  // node-redis selects the database while it connects, ioredis only afterwards.
  if (/DB index/i.test(explained.message)) return noDatabase(pathname.slice(1), cause);
  const message = `no Redis answers at ${hostname}:${port || 6379}: ${describe(cause)}`;
  return new IdError('ERR_IDS_UNAVAILABLE', message, { cause });
}

/** Some socket errors have only a code. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
