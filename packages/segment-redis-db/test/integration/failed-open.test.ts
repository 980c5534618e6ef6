import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, ensureSchema } from '@ids/segment/sql';
import { fromPgUrl } from '@ids/store/postgres';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it, type MockInstance, vi } from 'vitest';
import { createSegmentRedisDbGenerator } from '../../src/index.js';

/** Nothing listens there. */
const NO_REDIS = 'redis://127.0.0.1:1';

async function createTable(): Promise<string> {
  const table = uniqueName('failed');
  const executor = await fromPgUrl(inject('databaseUrl'), { max: 1 });
  await ensureSchema(executor, { table });
  await createSequence(executor, 'order', { table });
  await executor.close();
  return table;
}

const backends = { name: 'order', database: inject('databaseUrl'), redis: inject('redisUrl') };

describe('a generator that could not be opened leaves no connection open', () => {
  let toDatabase: MockInstance<pg.Pool['connect']>;
  let toRedis: MockInstance<Redis['connect']>;
  let fromRedis: MockInstance<Redis['disconnect']>;

  beforeEach(() => {
    toDatabase = vi.spyOn(pg.Pool.prototype, 'connect') as MockInstance<pg.Pool['connect']>;
    toRedis = vi.spyOn(Redis.prototype, 'connect');
    fromRedis = vi.spyOn(Redis.prototype, 'disconnect');
  });
  afterEach(() => {
    toDatabase.mockRestore();
    toRedis.mockRestore();
    fromRedis.mockRestore();
  });

  /** Of everything that was opened since the test began. */
  function expectAllClosed(): void {
    const pools = [...new Set(toDatabase.mock.contexts as pg.Pool[])];
    expect(pools.length).toBeGreaterThan(0);
    for (const { totalCount, ended } of pools)
      expect({ totalCount, ended }).toEqual({ totalCount: 0, ended: true });
    const left = toRedis.mock.contexts.filter((client) => !fromRedis.mock.contexts.includes(client));
    expect(left).toHaveLength(0);
  }

  it('because its sequence is missing', async () => {
    const table = await createTable();
    const opening = createSegmentRedisDbGenerator({ ...backends, table, name: 'nobody' });
    await expect(opening).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    expectAllClosed();
  });

  it('because no Redis answers', async () => {
    const table = await createTable();
    const opening = createSegmentRedisDbGenerator({ ...backends, table, redis: NO_REDIS });
    await expect(opening).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    expectAllClosed();
  });

  it('because its key in Redis belongs to another table', async () => {
    const keyPrefix = `${uniqueName('failed')}:`;
    const first = await createSegmentRedisDbGenerator({ ...backends, table: await createTable(), keyPrefix });
    await first.next();
    await first.close();
    const opening = createSegmentRedisDbGenerator({ ...backends, table: await createTable(), keyPrefix });
    await expect(opening).rejects.toMatchObject({ code: 'ERR_IDS_REALM' });
    expect(toRedis).toHaveBeenCalledTimes(2);
    expectAllClosed();
  });
});
