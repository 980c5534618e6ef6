import { IdError } from '@ids/core';
import { withTimeout } from '@ids/waiting';
import { otherProtocol } from './other-protocol.js';
import { explainRedisError, noDatabase, PASS_CLUSTER } from './redis-error.js';
import type { RedisLike } from './scripts.js';
import { CONNECT_TIMEOUT_MS } from './time-limits.js';

/** Which part of a limit is for connecting; the rest is for finding out why that failed. */
const CONNECT_SHARE = 0.8;

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

/** The part of a client that opens its first connection. */
interface Connecting {
  connect(): Promise<unknown>;
  info(): Promise<unknown>;
}

/**
 * Connects, for at most `limitMs`: a server that hangs accepts connections, too. Rejects with
 * `ERR_IDS_CONFIG` for a server of a kind that issues no ids.
 */
export async function connectWithin(url: string, limitMs: number, client: Connecting): Promise<void> {
  const ms = Math.max(1, Math.round(Math.min(limitMs * CONNECT_SHARE, CONNECT_TIMEOUT_MS)));
  const late = () =>
    new IdError('ERR_IDS_TIMEOUT', `Redis at ${addressOf(url)} did not answer within ${ms} ms`);
  const info = await withTimeout(ms, undefined, late, async () => {
    await client.connect();
    // A user without the right: the scripts will say that they need it.
    return client.info().catch(() => '');
  });
  const refused = otherServer(String(info));
  if (refused === undefined) return;
  throw new IdError('ERR_IDS_CONFIG', `option "redis": the server at ${addressOf(url)} is ${refused}`);
}

/** What the server is that this `INFO` is of, and what to pass; undefined for one that may issue ids. */
function otherServer(info: string): string | undefined {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  if (field('redis_mode') === 'sentinel') {
    return 'a Sentinel, which only knows where the primary is: pass a client that asks it, such as new Redis({ sentinels: [{ host, port }], name }) of ioredis';
  }
  if (field('role') !== 'slave') return undefined;
  if (field('redis_mode') === 'cluster') return `a replica in a Redis Cluster: ${PASS_CLUSTER}`;
  const primary = `${field('master_host')}:${field('master_port')}`;
  return `a replica, which issues no IDs: write the URL of its primary, ${primary}, or pass a client that finds the primary`;
}

function addressOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 6379}`;
}

/** How long to wait before the attempt to connect again with this number, in milliseconds. */
export function reconnectDelay(attempt: number): number {
  return Math.min(attempt * 50, 1_000);
}

/** ioredis would read "3" in "/3a" and in "/3/4". */
export function namesDatabase(url: string): boolean {
  return /^\/?(-?\d+)?$/.test(new URL(url).pathname);
}

export function databaseRefused(url: string): IdError {
  const rule = 'the database in the URL must be a whole number, 0 or more';
  return new IdError('ERR_IDS_CONFIG', `option "redis": ${rule}, got "${new URL(url).pathname.slice(1)}"`);
}

/** Why the first connection failed, for which `limitMs` was the limit. The URL may contain a password. */
export async function refusedAt(url: string, cause: unknown, limitMs: number): Promise<IdError> {
  const explained = explainRedisError(cause);
  if (!explained.retryable) return explained;
  const other = await otherProtocol(url, Math.min(limitMs, CONNECT_TIMEOUT_MS) * (1 - CONNECT_SHARE));
  if (other !== undefined) {
    const message = `option "redis": no Redis answers at ${addressOf(url)}, because ${other}`;
    return new IdError('ERR_IDS_CONFIG', message, { cause });
  }
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
