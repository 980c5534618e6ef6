import { IdError } from '@ids/core';
import { evaluate } from './evaluate.js';
import type { RedisLike } from './redis-like.js';
import { probe } from './scripts.generated.js';

/**
 * Rejects with `ERR_IDS_CONFIG` unless the database that `redis` was made with exists and may be selected.
 * ioredis only emits an error when SELECT fails on a new connection, and goes on with database 0. A client
 * that does not say its database (`options.db`) is taken to use 0.
 */
export async function assertDatabase(redis: RedisLike, key: string): Promise<void> {
  const { db = 0 } = (redis as { readonly options?: { readonly db?: unknown } }).options ?? {};
  if (db === 0) return;
  try {
    await evaluate(redis, probe, key, [String(db)]);
  } catch (error) {
    if (!(error instanceof IdError) || !/DB index|not an integer/i.test(error.message)) throw error;
    throw new IdError(
      'ERR_IDS_CONFIG',
      `option "redis": the server has no database ${db}: a whole number from 0 to one less than its setting "databases" is accepted`,
      { cause: error.cause },
    );
  }
}
