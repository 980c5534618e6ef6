import { IdError } from '@ids/core';
import { withTimeout } from '@ids/waiting';
import { explainRedisError, noDatabase } from './redis-error.js';
import type { RedisLike } from './scripts.js';

/** The time limit of the first connection, and of its first answer. */
export const CONNECT_TIMEOUT_MS = 3_000;

export interface OpenRedis {
  readonly redis: RedisLike;
  /**
   * Ends the present connection, without a word to its server, and opens another one. False if there is none.
   * Undefined for a client of the caller.
   */
  readonly replace?: () => boolean;
  /** Closes what was opened here; a client of the caller stays open. */
  close(): Promise<void>;
}

/**
 * Waits for `connecting`, which includes what a client asks first on a new connection, for at most `limitMs`:
 * a server that hangs accepts connections, too.
 */
export async function connectWithin(
  url: string,
  limitMs: number,
  connecting: Promise<unknown>,
): Promise<void> {
  const ms = Math.max(1, Math.round(Math.min(limitMs, CONNECT_TIMEOUT_MS)));
  const late = () =>
    new IdError('ERR_IDS_TIMEOUT', `Redis at ${addressOf(url)} did not answer within ${ms} ms`);
  await withTimeout(ms, undefined, late, () => connecting);
}

function addressOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 6379}`;
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
  const { pathname } = new URL(url);
  // node-redis selects the database while it connects, ioredis only afterwards.
  if (/DB index/i.test(explained.message)) return noDatabase(pathname.slice(1), cause);
  const message = `no Redis answers at ${addressOf(url)}: ${describe(cause)}`;
  return new IdError('ERR_IDS_UNAVAILABLE', message, { cause });
}

/** Some socket errors have only a code. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
