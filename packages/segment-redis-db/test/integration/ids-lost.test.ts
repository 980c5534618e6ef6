import { startRedis, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type { Segment, SegmentSource } from '@ids/segment';
import { describe, expect, inject } from 'vitest';
import { inspectSequence, type RedisLike } from '../../src/index.js';
import { collect, install } from '../../src/scripts.generated.js';
import { beforeServed } from '../support/before-served.js';
import { Fixture } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';
import { LockedTable } from '../support/locked-table.js';

const MOST = 3_000;

/** The greatest gap that a lost state left, in rounds of demand that make the step grow. */
async function greatestGap(maxIdsLost: number | undefined, rounds: number): Promise<number> {
  await using fixture = new Fixture('ids:');
  await using server = await startRedis();
  const client = fixture.client(server.url);
  const generator = await fixture.generator(server.url, { minStep: 50, maxStep: 1_000_000, maxIdsLost });
  expect(generator.guarantees.maxIdsLost).toBe(maxIdsLost);
  let most = 0;
  for (let round = 0; round < rounds; round++) {
    let last = 0;
    // More than a low-water mark, so that a fill is under way or done when all is lost.
    for (let given = 0; given < 4_000; given += 500) last = (await generator.nextBatch(500)).at(-1) ?? 0;
    await injectFault(() => client.flushall());
    most = Math.max(most, (await generator.next()) - last - 1);
  }
  return most;
}

describe('what a dispenser sets aside', () => {
  faultTest('is no more than may be lost, whatever demand had made of the step', async () => {
    const gap = await greatestGap(MOST, 40);
    expect(gap).toBeLessThanOrEqual(MOST);
    // The bound was put to the test: the step had grown to two thirds of it.
    expect(gap).toBeGreaterThan(MOST / 3);
  });

  faultTest('would be more without that bound', async () => {
    expect(await greatestGap(undefined, 40)).toBeGreaterThan(MOST);
  });
});

/** A source that reserves in any case, as one that does not support `expectedMaxId`. */
function unconditional(source: SegmentSource): SegmentSource {
  return {
    describe: (...args) => source.describe(...args),
    reserve: (name, size, { expectedMaxId: _, ...options } = {}) => source.reserve(name, size, options),
    close: () => source.close(),
  };
}

describe('a dispenser whose database is slow', () => {
  const AT_MOST = 1_500;

  /**
   * The row is locked until `waiting` reservations wait for it, long after the lease of each
   * but the last has lapsed. Returns how many ids are reserved and not given afterwards, and how
   * many of them the hash holds.
   */
  async function setAside(
    processes: number,
    waiting: number,
    { wrap = (source: SegmentSource) => source, maxIdsLost = AT_MOST as number | undefined } = {},
  ) {
    await using table = await LockedTable.create(uniqueName('slow'));
    await using fixture = new Fixture(uniqueName('slow'));
    const open = () =>
      fixture.generator(inject('redisUrl'), {
        source: wrap(table.source()),
        minStep: 1_000,
        maxStep: 1_000,
        maxIdsLost,
        lockMs: 100,
        deadlineMs: 60_000,
      });
    const generators = await Promise.all(Array.from({ length: processes }, open));
    const [first] = generators;
    if (first === undefined) throw new Error('unreachable');
    await first.ready();
    await injectFault(() => table.lock());
    let given = (await first.nextBatch(await table.maxId())).length;
    const calls = generators.map((generator) => generator.nextBatch(1));
    await beforeServed(
      calls,
      expect.poll(() => table.waiting(), { timeout: 30_000, interval: 10 }).toBeGreaterThanOrEqual(waiting),
    );
    await table.unlock();
    given += (await Promise.all(calls)).flat().length;
    await expect.poll(() => table.waiting(), { timeout: 30_000 }).toBe(0);
    await Promise.all(generators.map((generator) => generator.close()));
    const redis = fixture.client(inject('redisUrl'));
    const { remaining } = await inspectSequence({ redis, name: 'order', keyPrefix: fixture.keyPrefix });
    return { reserved: (await table.maxId()) - given, held: remaining };
  }

  faultTest(
    'sets aside no more than may be lost, when each of three processes waits for the row',
    async () => {
      expect((await setAside(3, 3)).reserved).toBeLessThanOrEqual(AT_MOST);
    },
  );

  faultTest('sets aside no more than may be lost, when one process waits for it twice', async () => {
    expect((await setAside(1, 2)).reserved).toBeLessThanOrEqual(AT_MOST);
  });

  faultTest('would set aside more, if it reserved wherever the sequence is', async () => {
    expect((await setAside(3, 3, { wrap: unconditional })).reserved).toBeGreaterThan(AT_MOST);
  });

  faultTest('holds no more than one and a half segments even then, with no bound given', async () => {
    const { reserved, held } = await setAside(3, 3, { wrap: unconditional, maxIdsLost: undefined });
    expect(reserved).toBeGreaterThan(1_500);
    expect(held).toBeLessThanOrEqual(1_500);
  });
});

/**
 * Replies travel slowly: that of a collect which was granted the lease comes when the process has sent its
 * next install, and that of the install after it.
 */
function slowReplies(client: RedisLike): { redis: RedisLike; begin: () => void; granted: Promise<void> } {
  const [granted, installs, told] = [deferred(), deferred(), deferred()];
  let slow = false;
  const run = async (text: string, ...rest: [number, ...(string | number)[]]): Promise<unknown> => {
    if (!slow) return client.eval(text, ...rest);
    if (text === install.text) installs.resolve();
    const reply = await client.eval(text, ...rest);
    if (text === install.text) await told.promise;
    if (text !== collect.text || (reply as unknown[])[3] !== 1) return reply;
    granted.resolve();
    await installs.promise;
    // In the turn after this one the process has read it.
    setImmediate(told.resolve);
    return reply;
  };
  const texts = new Map([collect, install].map(({ sha1, text }) => [sha1, text]));
  return {
    begin: () => {
      slow = true;
    },
    granted: granted.promise,
    redis: {
      evalsha: (sha1, ...rest) => {
        const text = texts.get(sha1);
        return text === undefined ? client.evalsha(sha1, ...rest) : run(text, ...rest);
      },
      eval: run,
      pipeline: () => client.pipeline(),
    },
  };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

faultTest('a lease that comes while the segment it asks for is on its way to Redis is not used', async () => {
  await using fixture = new Fixture(uniqueName('late_lease'));
  const source = new GatedSource(fixture.source);
  const { redis, begin, granted } = slowReplies(fixture.connect(inject('redisUrl')).redis);
  const options = { redis, source, step: 10, lockMs: 20, deadlineMs: 10_000 };
  const generator = await fixture.generator(inject('redisUrl'), options);
  await generator.ready();
  begin();
  await injectFault(() => source.shut());
  const call = generator.nextBatch(100);
  await beforeServed([call], source.held());
  // The lease lapses while the source is slow, so a collect is granted one of its own.
  await granted;
  await source.close();
  const ids = await call;
  expect(ids).toHaveLength(100);
  // The segment that was on its way served the call to the end: another one would lie in Redis unused.
  expect(await fixture.source.describe('order')).toMatchObject({ maxId: ids.length });
});

faultTest('a process reserves a step where the ids it waits for are on their way', async () => {
  await using fixture = new Fixture(uniqueName('on_its_way'));
  const gate = new GatedSource(fixture.source);
  const options = { step: 10, lockMs: 20, deadlineMs: 10_000 };
  const a = await fixture.generator(inject('redisUrl'), { ...options, source: gate });
  await a.ready();
  await injectFault(() => gate.shut());
  const calls = [a.nextBatch(100)];
  await beforeServed(calls, gate.held());
  const sizes: number[] = [];
  const recorded: SegmentSource = {
    describe: (...args) => fixture.source.describe(...args),
    reserve: async (...args) => {
      const segment = await fixture.source.reserve(...args);
      sizes.push(segment.high - segment.low + 1);
      return segment;
    },
    close: async () => {},
  };
  const b = await fixture.generator(inject('redisUrl'), { ...options, source: recorded });
  calls.push(b.nextBatch(10));
  // The lease of A lapses, and B is told that the sequence has moved.
  await expect.poll(() => sizes[0], { timeout: 10_000 }).toBe(10);
  await gate.close();
  const ids = (await Promise.all(calls)).flat();
  expect(new Set(ids).size).toBe(110);
});

faultTest('asks again after it gave way to a segment that never came, even if no call does', async () => {
  await using fixture = new Fixture(uniqueName('gave_way'));
  const segments: Segment[] = [];
  const generator = await fixture.generator(inject('redisUrl'), {
    step: 10,
    onEvent: (event) => event.type === 'refill' && segments.push(event.segment),
  });
  await generator.ready();
  const lost = await injectFault(() => fixture.source.reserve('order', 10));
  await generator.nextBatch(6);
  await expect
    .poll(() => segments.at(-1))
    .toEqual({ low: Number(lost?.high) + 1, high: Number(lost?.high) + 10 });
});
