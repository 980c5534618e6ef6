import { startRedis, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { Fixture } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';

describe('the counters of a dispenser', () => {
  it('say what callers got, and what that took', async () => {
    await using fixture = new Fixture(uniqueName('counters'));
    const generator = await fixture.generator(inject('redisUrl'), { minStep: 100, maxStep: 100 });
    await generator.ready();
    const before = generator.counters();
    expect(before).toMatchObject({ idsIssued: 0, refills: 1, timeouts: 0, stateLosses: 0 });
    await generator.nextBatch(40);
    await Promise.all([generator.next(), generator.next()]);
    const { idsIssued, takes, refillSeconds } = generator.counters();
    expect([idsIssued, takes - before.takes]).toEqual([42, 2]);
    expect(refillSeconds).toBeGreaterThan(0);
    await generator.close();
    expect(generator.counters()).toMatchObject({ idsIssued: 42, idsDiscarded: 0 });
  });

  it('count each call that ran out of time, and the ids that came too late for anybody', async () => {
    await using fixture = new Fixture(uniqueName('counters'));
    const source = new GatedSource(fixture.source);
    source.shut();
    const generator = await fixture.generator(inject('redisUrl'), { source, deadlineMs: 100 });
    const calls = await Promise.allSettled([generator.next(), generator.nextBatch(4), generator.next()]);
    expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(generator.counters()).toMatchObject({ timeouts: 3, idsIssued: 0 });
  });

  it('count the ids of a batch that gave up half-way as discarded, not as issued', async () => {
    await using fixture = new Fixture(uniqueName('counters'));
    const source = new GatedSource(fixture.source);
    const generator = await fixture.generator(inject('redisUrl'), { source, minStep: 100, maxStep: 100 });
    await generator.ready();
    source.shut();
    const controller = new AbortController();
    const batch = generator.nextBatch(180, { signal: controller.signal });
    // The hash has given the 100 IDs that it had, and asks the table for the others.
    await source.held();
    controller.abort(new Error('given up'));
    await expect(batch).rejects.toThrow('given up');
    expect(generator.counters()).toMatchObject({ idsIssued: 0, idsDiscarded: 100 });
    await source.close();
    expect(await generator.next()).toBeGreaterThan(100);
    expect(generator.counters()).toMatchObject({ idsIssued: 1 });
  });

  faultTest('count the losses of the state in Redis', async () => {
    await using server = await startRedis();
    await using fixture = new Fixture('ids:');
    const generator = await fixture.generator(server.url);
    await generator.next();
    await injectFault(() => fixture.client(server.url).flushall());
    await generator.next();
    expect(generator.counters()).toMatchObject({ stateLosses: 1, idsIssued: 2 });
  });
});

describe('the outlook of a dispenser', () => {
  it('is from the use of all processes together', async () => {
    await using fixture = new Fixture(uniqueName('counters'));
    const redis = inject('redisUrl');
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const [one, other] = [await fixture.generator(redis), await fixture.generator(redis)];
    await one.ready();
    expect(one.health().secondsLeft).toBeUndefined();
    // Only the other one gets ids, fifty a second by the clock of the test: that shows in what is left.
    for (let turn = 0; turn < 20; turn++) {
      vi.advanceTimersByTime(100);
      await other.nextBatch(5);
      await one.ready();
    }
    const { remaining = 0, secondsLeft = 0 } = one.health();
    expect(remaining).toBe(900);
    expect(secondsLeft).toBeCloseTo(remaining / 50, 6);
  });
});
