import { keyTableOf } from '@ids/keyed/sql';
import { openPostgresPool, startRedis } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { createSequence } from '@ids/segment/sql';
import { fromPg } from '@ids/store/postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  createKeyedSegmentRedisDbGenerator,
  createSegmentRedisDbGenerator,
  KEYED_ACL,
  MINIMAL_ACL,
} from '../../src/index.js';
import { clientOf, KeyedFamily } from '../support/keyed-family.js';

const RIGHTS = `${MINIMAL_ACL} ${KEYED_ACL}`.split(' ');

const small = { minStep: 2, maxStep: 1_000 };

describe('sequences by key over Redis', () => {
  it('count each key for itself, across processes', async () => {
    const family = await KeyedFamily.create();
    const [one, other] = [await family.open(), await family.open()];
    for (const generator of [one, other, one]) await family.take(generator, ['a', 'b', ''], 3);
    for (const ids of family.issued.values()) expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(one.guarantees).toMatchObject({ within: 'key', order: { cluster: 'real-time' } });
  });

  it('compare keys byte by byte', async () => {
    const family = await KeyedFamily.create();
    const generator = await family.open();
    const keys = ['a', 'A', 'a ', 'ä', 'a\u0308', 'a\0', '{', '}', 'a b', '\n', 'é'.repeat(127)];
    for (const key of keys) expect(await generator.next(key)).toBe(1);
    expect(await generator.next(keys[0] ?? '')).toBe(2);
  });

  it('ask the database once for the first two ids of a key, and then ever less often', async () => {
    const family = await KeyedFamily.create();
    const generator = await family.open(undefined, small);
    const refills: number[] = [];
    for (let i = 1; i <= 2; i++) {
      expect(await generator.next('a')).toBe(i);
      refills.push(family.eventsOf('refill').length);
    }
    expect(refills).toEqual([1, 1]);
    for (let i = 3; i <= 200; i++) expect(await generator.next('a')).toBe(i);
    expect(family.eventsOf('refill').length).toBeLessThan(6);
  });

  it('know the greatest id that was issued, not the greatest that was reserved', async () => {
    const family = await KeyedFamily.create();
    const generator = await family.open();
    expect(await generator.highest('a')).toBeUndefined();
    await generator.nextBatch('a', 3);
    expect(await generator.highest('a')).toBe(3);
    expect(await (await family.open()).highest('a')).toBe(3);
    await clientOf().del(family.recordOf('a'));
    // Nobody knows any more.
    expect(await generator.highest('a')).toBe(20);
  });

  it('start where the family says, and the first call above that', async () => {
    const family = await KeyedFamily.create();
    await createSequence(fromPg(family.pool), 'invoice', { table: family.table, startAfter: 100 });
    const generator = await family.open(undefined, { name: 'invoice' });
    expect(await generator.next('a')).toBe(101);
    expect(await generator.next('b', { startAfter: 500 })).toBe(601);
    expect(await generator.next('b', { startAfter: 900 })).toBe(602);
  });

  it('forget an idle key, with what was left of it', async () => {
    const family = await KeyedFamily.create();
    const redis = clientOf();
    const generator = await family.open(undefined, { idleMs: 60_000 });
    // Nothing fails, so it is no gap of a fault.
    expect([generator, await family.open()].map((one) => one.guarantees.gaps)).toEqual([
      'on-restart',
      'on-fault',
    ]);
    expect(await generator.next('a')).toBe(1);
    const left = await redis.pttl(family.recordOf('a'));
    expect(left).toBeGreaterThan(50_000);
    await redis.pexpire(family.recordOf('a'), 1);
    await expect.poll(() => redis.exists(family.recordOf('a'))).toBe(0);
    expect(await generator.next('a')).toBe(21);
    expect(await redis.pttl(family.recordOf())).toBe(-1);
  });

  it('are refused or postponed one by one in a request of many', async () => {
    const family = await KeyedFamily.create();
    const generator = await family.open(undefined, {
      ...small,
      maxNewKeysPerSecond: 1,
      deadlineMs: 1_500,
      accept: (key) => !key.startsWith('bad'),
    });
    expect(await generator.next('known')).toBe(1);
    await expect(generator.next('last', { startAfter: 2 ** 53 - 3 })).resolves.toBe(2 ** 53 - 2);
    const calls = await Promise.allSettled(
      ['known', 'last', 'bad', ...Array.from({ length: 6 }, (_, i) => `new${i}`)].map((key) =>
        generator.next(key),
      ),
    );
    expect(calls[0]).toMatchObject({ value: 2 });
    expect(calls[1]).toMatchObject({ value: 2 ** 53 - 1 });
    expect(calls[2]).toMatchObject({ reason: expect.any(RangeError) });
    const begun = calls.slice(3).filter(({ status }) => status === 'fulfilled');
    expect(begun.length).toBeGreaterThan(0);
    expect(begun.length).toBeLessThan(4);
    expect(calls.slice(3).find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { cause: { message: expect.stringContaining('maxNewKeysPerSecond') } },
    });
  });

  it('never hold more ids of a key than a loss of Redis may lose', async () => {
    const family = await KeyedFamily.create();
    const generator = await family.open(undefined, { minStep: 1, maxStep: 1_000, maxIdsLost: 30 });
    const redis = clientOf();
    for (const count of [1, 4, 29, 2, 16, 1, 1, 25, 12, 30, 5, 28]) {
      await family.take(generator, ['a'], count);
      const [next, , , , mark] = (await redis.get(family.recordOf('a')))?.split(' ').map(Number) ?? [];
      expect((mark ?? 0) - (next ?? 0) + 1).toBeLessThanOrEqual(30);
    }
    family.expectSound(154);
    expect(family.issued.get('a')?.at(-1)).toBe(154);
  });

  it('reach the last id of a key, and then say so', async () => {
    const family = await KeyedFamily.create();
    const generator = await family.open(undefined, { ...small, minStep: 10 });
    expect(await generator.next('a', { startAfter: 2 ** 53 - 13 })).toBe(2 ** 53 - 12);
    expect(await generator.nextBatch('a', 10)).toHaveLength(10);
    expect(await generator.next('a')).toBe(2 ** 53 - 1);
    for (let i = 0; i < 2; i++) {
      await expect(generator.next('a')).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
    }
    expect(await generator.next('b')).toBe(1);
  });

  it('say what is wrong with their options', async () => {
    const url = inject('redisUrl');
    const options = { name: 'message', redis: url, database: inject('databaseUrl') };
    const open = (more: object) =>
      createKeyedSegmentRedisDbGenerator({ ...options, keyed: true, ...more } as never);
    await expect(open({ idleMs: 5 })).rejects.toThrow(/idleMs.*1000/);
    await expect(open({ owner: 'me' })).rejects.toThrow('option "owner"');
    await expect(open({ minStep: 10, maxIdsLost: 10 })).rejects.toThrow('maxIdsLost');
    await expect(createKeyedSegmentRedisDbGenerator(options as never)).rejects.toThrow('option "keyed"');
    await expect(createSegmentRedisDbGenerator({ ...options, keyed: true } as never)).rejects.toThrow(
      'createKeyedSegmentRedisDbGenerator',
    );
  });

  it.each([undefined, ...RIGHTS])(
    'need all rights that they name, and no other: without %s',
    async (right) => {
      await using server = await startRedis();
      const family = await KeyedFamily.create();
      const rights = RIGHTS.filter((other) => other !== right);
      const rules = ['on', '>secret', `~${family.recordOf()}*`, '-@all', ...rights];
      await clientOf(server.url).call('ACL', 'SETUSER', 'dispenser', ...rules);
      const url = server.url.replace('redis://', 'redis://dispenser:secret@');
      // Each of the two ways to write needs a right of its own.
      const generator = family.open(url, right === '+mset' ? {} : { idleMs: 60_000 });
      if (right === undefined) expect(await (await generator).next('a')).toBe(1);
      else {
        const message = expect.stringContaining(`The user needs ${MINIMAL_ACL}`);
        await expect(generator, 'at its start').rejects.toMatchObject({ code: 'ERR_IDS_CONFIG', message });
      }
    },
  );

  faultTest('are not stopped by a key whose row somebody has locked', async () => {
    const family = await KeyedFamily.create();
    const generator = await family.open(undefined, small);
    await generator.nextBatch('locked', 2);
    const pool = openPostgresPool(inject('databaseUrl'), { max: 1 });
    const session = await pool.connect();
    onTestFinished(async () => {
      session.release(true);
      await pool.end();
    });
    await session.query('BEGIN');
    await injectFault(() => session.query(`SELECT FROM ${keyTableOf(family.table)} FOR UPDATE`));
    let ended = false;
    const locked = generator.next('locked').finally(() => {
      ended = true;
    });
    locked.catch(() => undefined);
    // The first of them share a statement with the locked one.
    for (let i = 1; i <= 10; i++) {
      await Promise.all(['a', 'b', 'c'].map(async (key) => expect(await generator.next(key)).toBe(i)));
    }
    expect(ended).toBe(false);
    await session.query('ROLLBACK');
    expect(await locked).toBe(3);
  });
});
