import { keyTableOf } from '@ids/keyed/sql';
import { type FaultProxy, startFaultProxy, startRedis } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import { clientOf, KeyedFamily } from '../support/keyed-family.js';

/** So few that none are reserved ahead: a record has no ids left when its last one is taken. */
const STEP = 4;
const quick = { lockMs: 10, deadlineMs: 60_000, minStep: STEP, maxStep: STEP };

/** A process that can be stopped on its way to the database and back. */
async function openBehindProxy(family: KeyedFamily, options: object = quick, redis?: string) {
  const { hostname, port } = new URL(family.database);
  const proxy = await startFaultProxy({ target: { host: hostname, port: Number(port) } });
  onTestFinished(() => proxy.close());
  const database = proxy.url(family.database);
  const generator = await family.open(redis, { ...options, database });
  // So that it has a connection, and has prepared its statement.
  await generator.next('other');
  return { proxy, generator };
}

/** Stops the answer of the next reservation: resolves when it was made, and its ids are on their way. */
async function holdAnswer(
  family: KeyedFamily,
  proxy: FaultProxy,
  call: () => Promise<number>,
  highest = STEP,
) {
  // Long enough to see the row before the answer is there.
  await injectFault(() => proxy.delay(1_000));
  const waiting = call();
  waiting.catch(() => undefined);
  const reserved = `SELECT FROM ${keyTableOf(family.table)} WHERE max_id >= $1 AND sequence_key = 'a'`;
  await expect.poll(async () => (await family.pool.query(reserved, [highest])).rowCount).toBe(1);
  await injectFault(async () => {
    await proxy.setMode('blackhole');
    proxy.delay(0);
  });
  return { waiting };
}

async function notedBy(family: KeyedFamily, waiting: Promise<unknown>): Promise<void> {
  family.issued.set('a', [...(family.issued.get('a') ?? []), Number(await waiting)]);
}

describe('a process that stops while it refills a key', () => {
  faultTest('cannot install a segment that a higher one has overtaken', async () => {
    const family = await KeyedFamily.create();
    const { proxy, generator: slow } = await openBehindProxy(family);
    const fast = await family.open(undefined, quick);
    const { waiting } = await holdAnswer(family, proxy, () => slow.next('a'));
    await family.take(fast, ['a'], STEP);
    await injectFault(() => proxy.setMode('pass'));
    await notedBy(family, waiting);
    family.expectSound(STEP + 1);
    expect(family.eventsOf('discard')).toContainEqual(
      expect.objectContaining({ segment: { low: 1, high: STEP } }),
    );
  });

  faultTest('cannot install a segment that is older than the record that it finds', async () => {
    const family = await KeyedFamily.create();
    const redis = clientOf();
    const { proxy, generator: slow } = await openBehindProxy(family);
    const { proxy: closed, generator: third } = await openBehindProxy(family);
    const { waiting } = await holdAnswer(family, proxy, () => slow.next('a'));
    await injectFault(() => redis.del(family.recordOf('a')));
    await family.take(await family.open(undefined, quick), ['a'], STEP);
    await injectFault(() => redis.del(family.recordOf('a')));
    // It remembers nothing of the key, so its record begins at 1, and no segment comes for it.
    await injectFault(() => closed.setMode('blackhole'));
    const last = third.next('a');
    last.catch(() => undefined);
    await expect.poll(() => redis.exists(family.recordOf('a'))).toBe(1);
    await injectFault(() => proxy.setMode('pass'));
    await notedBy(family, waiting);
    family.expectSound(STEP + 1);
    expect(family.eventsOf('discard')).toContainEqual(
      expect.objectContaining({ segment: { low: 1, high: STEP } }),
    );
    await injectFault(() => closed.setMode('pass'));
    await notedBy(family, last);
    family.expectSound(STEP + 2);
  });

  for (const [and, madeAnew] of [
    ['', false],
    [', and that another process has made it anew', true],
  ] as const) {
    faultTest(`finds that its record expired${and}`, async () => {
      const family = await KeyedFamily.create();
      const redis = clientOf();
      const idle = { ...quick, idleMs: 1_000 };
      const { proxy, generator: slow } = await openBehindProxy(family, idle);
      const { waiting } = await holdAnswer(family, proxy, () => slow.next('a'));
      // By itself: the process waits, and does not look at it.
      await expect.poll(() => redis.exists(family.recordOf('a')), { timeout: 20_000 }).toBe(0);
      if (madeAnew) await family.take(await family.open(undefined, idle), ['a'], STEP);
      await injectFault(() => proxy.setMode('pass'));
      await notedBy(family, waiting);
      family.expectSound(madeAnew ? STEP + 1 : 1);
      expect(family.issued.get('a')?.at(-1)).toBeGreaterThan(STEP);
      expect(family.eventsOf('discard')).toContainEqual(
        expect.objectContaining({ segment: { low: 1, high: STEP } }),
      );
    });
  }

  for (const [from, used] of [
    ['the same segment', STEP],
    ['an earlier segment', 2 * STEP],
  ] as const) {
    faultTest(`takes no ids of an older record, of ${from}, that came back meanwhile`, async () => {
      const family = await KeyedFamily.create();
      const redis = clientOf();
      const { proxy, generator: slow } = await openBehindProxy(family);
      await family.take(slow, ['a'], 1);
      const older = await redis.get(family.recordOf('a'));
      // It remembers the next id of that one, and nothing behind it.
      await family.take(slow, ['a'], 1);
      await family.take(await family.open(undefined, quick), ['a'], used - 2);
      const { waiting } = await holdAnswer(family, proxy, () => slow.next('a'), used + STEP);
      await injectFault(() => redis.set(family.recordOf('a'), older ?? ''));
      await injectFault(() => proxy.setMode('pass'));
      await notedBy(family, waiting);
      family.expectSound(used + 1);
      expect(family.voids.back).toBe(1);
    });
  }

  faultTest(
    'leaves the next refill to the process that waited for its segment, and took the last of it',
    async () => {
      const family = await KeyedFamily.create();
      const ahead = { deadlineMs: 60_000, lockMs: 60_000, minStep: 2 * STEP, maxStep: 2 * STEP };
      const { proxy, generator: slow } = await openBehindProxy(family, ahead);
      const next = await family.open(undefined, ahead);
      const { waiting } = await holdAnswer(family, proxy, () => slow.next('a'));
      expect(await Promise.race([waiting, 'held'])).toBe('held');
      const batch = next.nextBatch('a', STEP + 1);
      await injectFault(() => proxy.setMode('pass'));
      await notedBy(family, waiting);
      expect(await batch).toEqual([2, 3, 4, 5, 6]);
      const reserved = `SELECT max_id::int FROM ${keyTableOf(family.table)} WHERE sequence_key = 'a'`;
      await expect.poll(async () => (await family.pool.query(reserved)).rows).toEqual([{ max_id: 4 * STEP }]);
    },
  );
});

describe('a key that a process does not refill', () => {
  /** So long that it ends in no test. */
  const leased = { deadlineMs: 10_000, lockMs: 60_000, minStep: 2 * STEP, maxStep: 2 * STEP };

  faultTest('is refilled by another one while the database of the first does not answer', async () => {
    const family = await KeyedFamily.create();
    const redis = clientOf();
    const { proxy, generator: first } = await openBehindProxy(family, leased);
    const other = await family.open(undefined, leased);
    await family.take(first, ['a'], 1);
    await injectFault(async () => {
      await proxy.setMode('refuse');
      proxy.cut();
    });
    // Half of the segment is taken: the next one is reserved ahead, in vain, and then there is a pause.
    await family.take(first, ['a'], STEP);
    const holder = async () => (await redis.get(family.recordOf('a')))?.split(' ')[8];
    await expect.poll(holder).toBe('-');
    await family.take(first, ['a'], 1);
    const reserved = `SELECT max_id::int FROM ${keyTableOf(family.table)} WHERE sequence_key = 'a'`;
    expect((await family.pool.query(reserved)).rows).toEqual([{ max_id: 2 * STEP }]);
    await family.take(other, ['a'], STEP);
    family.expectSound(2 + 2 * STEP);
  });

  faultTest('is not written by those that wait for another process', async () => {
    await using server = await startRedis();
    const admin = clientOf(server.url);
    const number = async (section: string, pattern: RegExp) =>
      Number(pattern.exec(await admin.info(section))?.[1] ?? Number.NaN);
    const scripts = () => number('commandstats', /cmdstat_evalsha:calls=(\d+)/);
    const changes = () => number('persistence', /rdb_changes_since_last_save:(\d+)/);
    const family = await KeyedFamily.create();
    const { proxy, generator: slow } = await openBehindProxy(family, leased, server.url);
    const { waiting } = await holdAnswer(family, proxy, () => slow.next('a'));
    const other = await family.open(server.url, leased);
    const second = other.next('a');
    second.catch(() => undefined);
    const [looks, before] = [await scripts(), await changes()];
    await expect.poll(scripts).toBeGreaterThan(looks + 5);
    expect(await changes()).toBe(before);
    await injectFault(() => proxy.setMode('pass'));
    await notedBy(family, waiting);
    await notedBy(family, second);
    family.expectSound(2);
  });
});
