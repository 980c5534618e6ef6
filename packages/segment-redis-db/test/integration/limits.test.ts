import { startFaultProxy, startRedis, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { LAST_ID } from '@ids/segment';
import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { statusOf } from '../support/connected-client.js';
import { Fixture } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';
import { statistic } from '../support/load.js';
import { MUTANTS } from '../support/mutant.js';

const url = inject('redisUrl');

/** How often replies are lost. */
const ROUNDS = 3;

describe('great ids', () => {
  it.each([2 ** 31 - 3, 2 ** 32 - 3, 1e14 - 3, 1e15 - 3])(
    'after %d are exact to the digit',
    async (startAfter) => {
      await using fixture = new Fixture(uniqueName('great'), undefined, startAfter);
      const generator = await fixture.generator(url, { step: 4 });
      const ids = await Promise.all(Array.from({ length: 10 }, () => generator.next()));
      expect(ids).toEqual(Array.from({ length: 10 }, (_, i) => startAfter + 1 + i));
    },
  );

  it('would be rounded if they travelled as Lua prints numbers', async () => {
    const startAfter = 1e15 - 3;
    await using fixture = new Fixture(uniqueName('great'), MUTANTS.roundedIds, startAfter);
    const generator = await fixture.generator(url, { step: 4, deadlineMs: 1_000 });
    const ids = await Promise.all(Array.from({ length: 10 }, () => generator.next().catch(() => 'none')));
    expect(ids).not.toEqual(Array.from({ length: 10 }, (_, i) => startAfter + 1 + i));
  });

  it('end at 2^53 - 1 with an error, never with a repeat', async () => {
    await using fixture = new Fixture(uniqueName('end'), undefined, LAST_ID - 8);
    const generator = await fixture.generator(url, { step: 4 });
    expect(await generator.nextBatch(8)).toEqual(Array.from({ length: 8 }, (_, i) => LAST_ID - 7 + i));
    await expect(generator.next()).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED', retryable: false });
    await expect(generator.nextBatch(3)).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
  });
});

describe('a client that reads all numbers as text', () => {
  it('gets the same ids', async () => {
    await using fixture = new Fixture(uniqueName('text'));
    const redis = new Redis(url, { stringNumbers: true });
    const generator = await fixture.generator(url, { redis, step: 4 });
    expect(await generator.nextBatch(10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await generator.close();
    expect(redis.status).toBe('ready');
    redis.disconnect();
  });
});

describe('callers who find nothing', () => {
  it('are served in the order of their arrival, with no number left out, by processes that refill tiny segments', async () => {
    await using fixture = new Fixture(uniqueName('debt'));
    const generators = await Promise.all([1, 2, 3, 4].map(() => fixture.generator(url, { step: 10 })));
    const perProcess = await Promise.all(
      generators.map((generator) => Promise.all(Array.from({ length: 50 }, () => generator.next()))),
    );
    for (const ids of perProcess) expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const all = perProcess.flat().sort((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: 200 }, (_, i) => 1 + i));
  });

  faultTest('get what they booked, each in turn, although replies are lost while they wait', async () => {
    await using fixture = new Fixture(uniqueName('debt'));
    await using server = await startRedis();
    await using proxy = await startFaultProxy({ target: server });
    const source = new GatedSource(fixture.source);
    source.shut();
    // It resends nothing, so a collect whose reply is lost fails.
    const client = fixture.connect(proxy.url('redis'), { retries: 0 });
    const options = { redis: client.client, source, step: 10, deadlineMs: 60_000 };
    const generator = await fixture.generator(proxy.url('redis'), options);
    const calls = Array.from({ length: 200 }, () => generator.next());
    // Awaited at the end, unless an assertion fails before.
    for (const call of calls) call.catch(() => undefined);
    const redis = fixture.client(server.url);
    while ((await redis.hget(fixture.key, 'd')) !== '200');
    const connections = () => statistic(redis, 'total_connections_received');
    const asked = () => statistic(redis, 'cmdstat_evalsha');
    const before = await connections();
    const status = () => expect.poll(() => statusOf(client), { interval: 1, timeout: 30_000 });
    for (let i = 0; i < ROUNDS; i++) {
      await status().toBe('ready');
      await injectFault(async () => {
        await proxy.setMode('swallow-replies');
        // One more collect is carried out, whose reply is lost. It may come only when the one before
        // has timed out, after 1 s.
        const earlier = await asked();
        while ((await asked()) === earlier);
        proxy.cut();
        await status().not.toBe('ready');
        await proxy.setMode('pass');
      });
    }
    // A segment that cannot be installed is a gap.
    await status().toBe('ready');
    expect((await connections()) - before).toBeGreaterThanOrEqual(ROUNDS);
    await source.close();
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 200 }, (_, i) => 1 + i));
  });

  it('get a batch that spans many segments, whole and in order', async () => {
    await using fixture = new Fixture(uniqueName('debt'));
    const generator = await fixture.generator(url, { step: 7 });
    expect(await generator.nextBatch(500)).toEqual(Array.from({ length: 500 }, (_, i) => 1 + i));
  });
});
