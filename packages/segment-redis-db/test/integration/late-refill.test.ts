import { uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { Fixture, fault } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';
import { MUTANTS } from '../support/mutant.js';

const url = inject('redisUrl');
const STEP = 10;

/**
 * A refiller is paused between reserving a segment and installing it. Meanwhile its lease runs out, and
 * another process installs a higher segment from which ids are given. Then the first one wakes up.
 */
async function overtake(fixture: Fixture): Promise<number[]> {
  const paused = new GatedSource(fixture.source);
  await injectFault(() => paused.shut());
  const slow = await fixture.generator(url, { source: paused, step: STEP, lockMs: 10 });
  await injectFault(() => paused.held());
  const pausedNext = new GatedSource(fixture.source);
  const fast = await fixture.generator(url, { source: pausedNext, step: STEP, lockMs: 10 });
  await fast.ready();
  await injectFault(() => pausedNext.shut());
  // Down to the low-water mark, so that there is room for another segment, whose refill is under way.
  const given = await fast.nextBatch(STEP / 2);
  await injectFault(() => pausedNext.held());
  await injectFault(() => paused.release());
  await slow.close();
  await pausedNext.close();
  // By processes that remember nothing, so that only Redis can keep the order.
  for (let i = 0; i < 3; i++) given.push(...(await fixture.take(url, STEP / 2)));
  return given;
}

/**
 * The same, and the hash is flushed twice on the way: so the high-water mark is gone when the paused process
 * wakes up, and a third process, whose own refill is under way, waits for ids.
 */
async function flushTwice(fixture: Fixture): Promise<number[]> {
  const redis = fixture.client(url);
  const pausedLong = new GatedSource(fixture.source);
  const paused = new GatedSource(fixture.source);
  await injectFault(() => {
    pausedLong.shut();
    paused.shut();
  });
  const first = await fixture.generator(url, { source: pausedLong, step: STEP });
  await injectFault(() => pausedLong.held());
  await injectFault(() => redis.del(fixture.key));
  const given = await fixture.take(url, STEP / 2);
  await injectFault(() => redis.del(fixture.key));
  const third = await fixture.generator(url, { source: paused, step: STEP });
  const waiting = third.nextBatch(STEP / 2);
  await injectFault(() => paused.held());
  await injectFault(() => pausedLong.release());
  await first.close();
  await injectFault(() => paused.release());
  return [...given, ...(await waiting)];
}

describe('a refiller that was paused', () => {
  faultTest('cannot install a segment that a higher one has overtaken', async () => {
    await using fixture = new Fixture(uniqueName('late'));
    expect(fault(await overtake(fixture))).toBeUndefined();
    expect(fixture.discarded).toContainEqual({ low: 1, high: STEP });
  });

  faultTest('would bring ids out of order without the high-water mark', async () => {
    await using fixture = new Fixture(uniqueName('late'), MUTANTS.noHighWaterMark);
    expect(fault(await overtake(fixture))).toMatch(/given after/);
  });

  faultTest('cannot install a segment that is older than the state it finds', async () => {
    await using fixture = new Fixture(uniqueName('late'));
    expect(fault(await flushTwice(fixture))).toBeUndefined();
    expect(fixture.discarded).toContainEqual({ low: 1, high: STEP });
  });

  faultTest('would bring ids out of order without generations', async () => {
    await using fixture = new Fixture(uniqueName('late'), MUTANTS.noGeneration);
    expect(fault(await flushTwice(fixture))).toMatch(/given after/);
  });
});

/**
 * Takes ids for which a segment is needed, while a process that is gone holds the lease
 * until `offsetMs` from now.
 */
async function takeFromTheGone(fixture: Fixture, offsetMs: number, deadlineMs?: number): Promise<number[]> {
  const generator = await fixture.generator(url, { step: STEP, deadlineMs });
  await generator.nextBatch(STEP);
  const redis = fixture.client(url);
  const holder = 'of a process that is gone';
  await injectFault(() => redis.hset(fixture.key, 'k', holder, 'kx', Date.now() + offsetMs));
  const ids = await generator.nextBatch(3 * STEP);
  expect(ids).toHaveLength(3 * STEP);
  return ids;
}

describe('a refill lease', () => {
  const ends: readonly [string, number][] = [
    ['far ahead', 3_600_000],
    ['long past', -3_600_000],
  ];
  for (const [when, offsetMs] of ends) {
    it(`whose end lies ${when} does not keep others from refilling`, async () => {
      await using fixture = new Fixture(uniqueName('lease'));
      expect(fault(await takeFromTheGone(fixture, offsetMs))).toBeUndefined();
    });

    faultTest(`whose end lies ${when} would keep others from refilling if it never ran out`, async () => {
      await using fixture = new Fixture(uniqueName('lease'), MUTANTS.noLeaseEnd);
      const taken = takeFromTheGone(fixture, offsetMs, 500);
      await expect(taken).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    });
  }

  it('shows operators who is refilling', async () => {
    await using fixture = new Fixture(uniqueName('lease'));
    const paused = new GatedSource(fixture.source);
    paused.shut();
    await fixture.generator(url, { source: paused, owner: 'pod-7' });
    await paused.held();
    expect(await fixture.client(url).hget(fixture.key, 'ko')).toBe('pod-7');
    await paused.close();
  });
});

describe('a hash that is lost', () => {
  const losses: readonly [string, (redis: Redis, key: string) => Promise<unknown>][] = [
    ['deleted', (redis, key) => redis.del(key)],
    ['expired', (redis, key) => redis.pexpire(key, 0)],
  ];
  for (const [how, lose] of losses) {
    faultTest(`when it is ${how} is a gap, for old processes and new ones`, async () => {
      await using fixture = new Fixture(uniqueName('lost'));
      const old = await fixture.generator(url);
      const given = await old.nextBatch(5);
      const redis = fixture.client(url);
      await injectFault(() => lose(redis, fixture.key));
      given.push(...(await old.nextBatch(5)));
      await injectFault(() => lose(redis, fixture.key));
      given.push(...(await fixture.take(url, 5)), ...(await old.nextBatch(5)));
      expect(fault(given)).toBeUndefined();
      expect(given).toHaveLength(20);
      expect(fixture.voids).toContain('missing');
    });
  }
});
