import type { IdGenerator } from '@ids/core';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { FENCE_SCHEMA, lockWithToken, writeFenced } from '../../src/recipes/fencing-tokens.js';
import { type OwnSchema, ownSchema } from '../support/own-schema.js';

type Open = (schema: OwnSchema) => Promise<IdGenerator<number>>;

const strategies: readonly (readonly [name: string, open: Open])[] = [
  [
    'segment-inproc in real-time order',
    ({ url }) => createSegmentInprocGenerator({ name: 'order', database: url, order: 'real-time' }),
  ],
  [
    'segment-redis-db',
    ({ url, name }) =>
      createSegmentRedisDbGenerator({
        name: 'order',
        database: url,
        redis: inject('redisUrl'),
        keyPrefix: `${name}:`,
      }),
  ],
];

/** The lease never ends during a test, unless the test ends it. */
const LEASE_MS = 3_600_000;

describe.each(strategies)('fencing tokens of %s', (_name, open) => {
  /** A resource, and two clients of it and of its lock, each with a generator and connections of its own. */
  async function openClients() {
    const schema = await ownSchema(inject('databaseUrl'));
    onTestFinished(() => schema[Symbol.asyncDispose]());
    await schema.pool.query(FENCE_SCHEMA);
    await schema.pool.query(`INSERT INTO orders VALUES (1, 'new')`);
    const key = `${schema.name}:lock`;
    const connect = async () => {
      const redis = new Redis(inject('redisUrl'));
      onTestFinished(() => redis.disconnect());
      const tokens = await open(schema);
      onTestFinished(() => tokens.close());
      return { tokens, redis, lock: () => lockWithToken(redis, key, LEASE_MS, tokens) };
    };
    const item = async () => (await schema.pool.query('SELECT item FROM orders')).rows[0].item;
    return { pool: schema.pool, key, one: await connect(), other: await connect(), item };
  }

  const write = (pool: Pool, token = 0, item = '') =>
    writeFenced(pool, 'orders', token, (client) => client.query('UPDATE orders SET item = $1', [item]));

  it('rise from holder to holder, and let a holder write until the next one has', async () => {
    const { pool, one, other, item } = await openClients();
    const first = await one.lock();
    expect(await other.lock()).toBeUndefined();
    await write(pool, first?.token, 'packed');
    await write(pool, first?.token, 'sent');
    expect(await item()).toBe('sent');
    await first?.release();
    const second = await other.lock();
    expect(second?.token).toBeGreaterThan(first?.token ?? 0);
    // Somebody else's lock: it stays.
    await first?.release();
    expect(await one.lock()).toBeUndefined();
  });

  faultTest('have a paused holder refused, whose lease ended', async () => {
    const { pool, key, one, other, item } = await openClients();
    const paused = await one.lock();
    await injectFault(() => one.redis.del(key));
    const second = await other.lock();
    expect(second, 'the lock of the paused holder is free').toBeDefined();
    // It goes on at the worst moment: while the second one writes. The fence has its row until the commit.
    let late = Promise.resolve();
    await writeFenced(pool, 'orders', second?.token ?? 0, async (client) => {
      late = write(pool, paused?.token, 'by the paused holder');
      late.catch(() => undefined);
      await client.query(`UPDATE orders SET item = 'by the second'`);
    });
    await expect(late).rejects.toThrow(`"orders" has seen a higher token than ${paused?.token}`);
    await expect(write(pool, paused?.token, 'again')).rejects.toThrow('the lock is lost');
    expect(await item()).toBe('by the second');
    await write(pool, second?.token, 'and once more');
    expect(await item()).toBe('and once more');
  });

  faultTest('are not given to a caller whose lease ended before its token came', async () => {
    const { pool, key, one, other, item } = await openClients();
    const next = one.tokens.next.bind(one.tokens);
    let second: Awaited<ReturnType<typeof other.lock>>;
    vi.spyOn(one.tokens, 'next').mockImplementationOnce(async () => {
      await injectFault(() => one.redis.del(key));
      second = await other.lock();
      return next();
    });
    // Its token would be the higher one, and lock the true holder out.
    expect(await one.lock()).toBeUndefined();
    await write(pool, second?.token, 'by the second');
    expect(await item()).toBe('by the second');
  });
});

it('tokens that are not in real-time order are refused', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool });
  const redis = new Redis(inject('redisUrl'), { lazyConnect: true });
  await expect(lockWithToken(redis, 'lock', LEASE_MS, ids)).rejects.toThrow(
    'tokens must come from a generator whose order in the cluster is "real-time", got "none"',
  );
});
