import { startRedis, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, inject, it } from 'vitest';
import { inspectSequence } from '../../src/index.js';
import { Fixture } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';

const url = inject('redisUrl');

async function inspected(fixture: Fixture, keyPrefix: string, at = url) {
  return inspectSequence({ redis: fixture.client(at), name: 'order', keyPrefix });
}

describe('a sequence that is inspected', () => {
  it('is missing before the first call', async () => {
    const keyPrefix = uniqueName('inspect');
    await using fixture = new Fixture(keyPrefix);
    expect(await inspected(fixture, keyPrefix)).toMatchObject({
      key: fixture.key,
      state: 'missing',
      remaining: 0,
    });
  });

  it('shows what is left, and is not changed by that', async () => {
    const keyPrefix = uniqueName('inspect');
    await using fixture = new Fixture(keyPrefix);
    const generator = await fixture.generator(url, { step: 10 });
    await generator.nextBatch(3);
    const seen = await inspected(fixture, keyPrefix);
    expect(seen).toMatchObject({
      state: 'dispensing',
      current: { low: 4, high: 10 },
      next: undefined,
      remaining: 7,
      highWaterMark: 10,
      booked: 0,
      refill: undefined,
    });
    expect(await inspected(fixture, keyPrefix)).toEqual(seen);
    expect(await generator.next()).toBe(4);
  });

  it('shows who refills, for how many that wait', async () => {
    const keyPrefix = uniqueName('inspect');
    await using fixture = new Fixture(keyPrefix);
    const paused = new GatedSource(fixture.source);
    paused.shut();
    const generator = await fixture.generator(url, { source: paused, owner: 'pod-7' });
    const waiting = generator.nextBatch(5);
    await paused.held();
    await expect
      .poll(() => inspected(fixture, keyPrefix))
      .toMatchObject({
        current: undefined,
        booked: 5,
        refill: { owner: 'pod-7', expired: false },
      });
    paused.release();
    expect(await waiting).toHaveLength(5);
  });

  faultTest('is void after a restart from old data', async () => {
    await using server = await startRedis();
    await using fixture = new Fixture('ids:');
    await fixture.take(server.url, 5);
    await fixture.client(server.url).save();
    await injectFault(() => server.restart());
    const seen = await inspected(fixture, 'ids:', server.url);
    expect(seen).toMatchObject({ state: 'void', current: { low: 6, high: 1000 } });
    expect(await fixture.take(server.url, 1)).toEqual([1001]);
  });
});
