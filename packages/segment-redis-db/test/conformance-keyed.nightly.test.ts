import { runKeyedConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { keyTableOf } from '@ids/keyed/sql';
import { openPostgresPool, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import type { SequenceGroup } from '@ids/segment';
import { describe, inject, it } from 'vitest';
import { segmentRedisDb } from '../src/index.js';
import { createKeyedContext } from './support/keyed-subject.js';
import type { Context } from './support/subject.js';

const [redis, database] = [inject('redisUrl'), inject('databaseUrl')];
const options = { strategy: 'segment-redis-db', name: 'message', redis, database, keyed: true } as const;
const fresh = (group?: SequenceGroup) =>
  createKeyedContext(redis, database, uniqueName('redis_keyed'), group);

/** Locks the row of a key, and takes its record, so that its next call needs the row. */
async function lockKey({ table, keyPrefix, name }: Context, key: string): Promise<() => Promise<void>> {
  const { Redis } = await import('ioredis');
  const pool = openPostgresPool(database, { max: 1 });
  const session = await pool.connect();
  await session.query('BEGIN');
  const row = `SELECT FROM ${keyTableOf(table)} WHERE sequence_key = convert_to($1, 'UTF8') FOR UPDATE`;
  await session.query(row, [key]);
  const client = new Redis(redis);
  await client.del(`${keyPrefix}{${name}}:${key}`);
  client.disconnect();
  return async () => {
    await session.query('ROLLBACK');
    session.release();
    await pool.end();
  };
}

runKeyedConformance(
  {
    name: 'segment-redis-db by key',
    module: new URL('./support/keyed-subject.ts', import.meta.url),
    guarantees: createIds([segmentRedisDb]).plan(options).guarantees,
    compare: (a, b) => Number(BigInt(a) - BigInt(b)),
    fresh: () => fresh(),
    freshGroup: fresh,
    lockKey: (context, key) => lockKey(context as Context, key),
  },
  { describe, it },
  // What is remembered of keys that rest has a bound, and ends after two minutes: see `keyed-step.test.ts`.
  { limits: false },
);
