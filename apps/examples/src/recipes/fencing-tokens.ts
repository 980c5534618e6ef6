import { randomUUID } from 'node:crypto';
import type { IdGenerator } from '@ids/core';
import type { Redis } from 'ioredis';
import type { Pool, PoolClient } from 'pg';

export const FENCE_SCHEMA = 'CREATE TABLE fence (resource text PRIMARY KEY, token bigint NOT NULL)';

export interface FencedLock {
  readonly token: number;
  /** Gives the lock back; no effect if it is somebody else's by now. */
  release(): Promise<void>;
}

/**
 * Takes a lock that is a key in Redis, and a token that is above those of all holders before. Undefined if
 * somebody else has the lock, or got it before this caller had its token. `tokens` must be in real-time order
 * in the cluster; otherwise it throws a `TypeError`.
 */
export async function lockWithToken(
  redis: Redis,
  key: string,
  leaseMs: number,
  tokens: IdGenerator<number>,
): Promise<FencedLock | undefined> {
  const { order, within } = tokens.guarantees;
  if (order.cluster !== 'real-time' || within !== undefined)
    throw new TypeError(
      `tokens must come from a generator whose order in the cluster is "real-time", got "${order.cluster}"${within === undefined ? '' : ` within a ${within}`}`,
    );
  // If only the answer is lost, the lock is nobody's until the lease ends.
  const owner = randomUUID();
  if ((await redis.set(key, owner, 'PX', leaseMs, 'NX')) === null) return undefined;
  // Not before: the token would be below that of a holder who came and went while this caller waited.
  const token = await tokens.next();
  // If the lease ended meanwhile, the next holder may have a lower token, and this one would lock it out.
  if ((await redis.get(key)) !== owner) return undefined;
  return { token, release: async () => void (await redis.eval(RELEASE, 1, key, owner)) };
}

const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/**
 * Runs `write` in a transaction, unless the resource has seen a higher token: then it rejects. The row of
 * the fence stays locked until the commit, so no other holder can write in between. The same token may write
 * again.
 */
export async function writeFenced(
  pool: Pool,
  resource: string,
  token: number,
  write: (client: PoolClient) => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rowCount } = await client.query(RAISE, [resource, token]);
    if (rowCount === 0)
      throw new Error(`"${resource}" has seen a higher token than ${token}: the lock is lost`);
    await write(client);
    await client.query('COMMIT');
  } catch (error) {
    // A broken connection has no transaction any more; the caller gets the first error.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

const RAISE = `
  INSERT INTO fence (resource, token) VALUES ($1, $2)
  ON CONFLICT (resource) DO UPDATE SET token = excluded.token WHERE fence.token <= excluded.token`;
