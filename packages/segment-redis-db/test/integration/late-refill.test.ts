import { uniqueName } from '@ids/local-services';
import { describe, expect, inject, it } from 'vitest';
import { Fixture, fault } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';
import { MUTANTS } from '../support/mutant.js';

const url = inject('redisUrl');
const STEP = 10;

/**
 * A refiller is paused between reserving a segment and installing it. Meanwhile its ticket runs out, and another process
 * installs a higher segment from which ids are given. Then the first one wakes up.
 */
async function overtake(fixture: Fixture): Promise<number[]> {
  const paused = new GatedSource(fixture.source);
  const slow = await fixture.generator(url, { source: paused, step: STEP, lockMs: 10 });
  await paused.held();
  const fast = await fixture.generator(url, { step: STEP, lockMs: 10 });
  const given = await fast.nextBatch(STEP / 2 - 1);
  paused.release();
  await slow.close();
  // By processes that remember nothing, so that only Redis can keep the order.
  for (let i = 0; i < 3; i++) given.push(...(await fixture.take(url, STEP / 2 + 1)));
  return given;
}

/**
 * The same, and the hash is flushed twice on the way: so the high-water mark is gone when the paused process wakes up, and a
 * third process, whose own refill is under way, waits for ids.
 */
async function flushTwice(fixture: Fixture): Promise<number[]> {
  const redis = fixture.client(url);
  const pausedLong = new GatedSource(fixture.source);
  const first = await fixture.generator(url, { source: pausedLong, step: STEP });
  await pausedLong.held();
  await redis.del(fixture.key);
  const given = await fixture.take(url, STEP / 2);
  await redis.del(fixture.key);
  const paused = new GatedSource(fixture.source);
  const third = await fixture.generator(url, { source: paused, step: STEP });
  const waiting = third.nextBatch(STEP / 2);
  await paused.held();
  pausedLong.release();
  await first.close();
  paused.release();
  return [...given, ...(await waiting)];
}

describe('a refiller that was paused', () => {
  it('cannot install a segment that a higher one has overtaken', async () => {
    await using fixture = new Fixture(uniqueName('late'));
    expect(fault(await overtake(fixture))).toBeUndefined();
  });

  it('would bring ids out of order without the high-water mark', async () => {
    await using fixture = new Fixture(uniqueName('late'), MUTANTS.noHighWaterMark);
    expect(fault(await overtake(fixture))).toMatch(/given after/);
  });

  it('cannot install a segment that is older than the state it finds', async () => {
    await using fixture = new Fixture(uniqueName('late'));
    expect(fault(await flushTwice(fixture))).toBeUndefined();
  });

  it('would bring ids out of order without generations', async () => {
    await using fixture = new Fixture(uniqueName('late'), MUTANTS.noGeneration);
    expect(fault(await flushTwice(fixture))).toMatch(/given after/);
  });
});

describe('a refill ticket', () => {
  it.each([
    ['far ahead', 3_600_000],
    ['long past', -3_600_000],
  ])('whose end lies %s does not keep others from refilling', async (_when, offsetMs) => {
    await using fixture = new Fixture(uniqueName('ticket'));
    const generator = await fixture.generator(url, { step: STEP });
    await generator.nextBatch(STEP);
    const redis = fixture.client(url);
    await redis.hset(fixture.key, 'k', 'of a process that is gone', 'kx', Date.now() + offsetMs);
    const ids = await generator.nextBatch(3 * STEP);
    expect(ids).toHaveLength(3 * STEP);
    expect(fault(ids)).toBeUndefined();
  });

  it('shows operators who is refilling', async () => {
    await using fixture = new Fixture(uniqueName('ticket'));
    const paused = new GatedSource(fixture.source);
    await fixture.generator(url, { source: paused, owner: 'pod-7' });
    await paused.held();
    expect(await fixture.client(url).hget(fixture.key, 'ko')).toBe('pod-7');
    await paused.close();
  });
});

describe('a hash that is lost', () => {
  it.each([
    ['deleted', (redis: ReturnType<Fixture['client']>, key: string) => redis.del(key)],
    ['expired', (redis: ReturnType<Fixture['client']>, key: string) => redis.pexpire(key, 0)],
  ])('when it is %s is a gap, for old processes and new ones', async (_how, lose) => {
    await using fixture = new Fixture(uniqueName('lost'));
    const old = await fixture.generator(url);
    const given = await old.nextBatch(5);
    const redis = fixture.client(url);
    await lose(redis, fixture.key);
    given.push(...(await old.nextBatch(5)));
    await lose(redis, fixture.key);
    given.push(...(await fixture.take(url, 5)), ...(await old.nextBatch(5)));
    expect(fault(given)).toBeUndefined();
    expect(given).toHaveLength(20);
  });
});
