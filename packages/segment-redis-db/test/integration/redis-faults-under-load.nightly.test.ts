import { setTimeout as pause } from 'node:timers/promises';
import { checkHistory, type History, monotonicNow } from '@ids/conformance';
import { startFaultProxy, startRedis, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, inject } from 'vitest';
import { REDIS_CLIENTS } from '../support/client-names.js';
import { connectWith } from '../support/connect-with.js';
import {
  ALL_CALLERS,
  adminOf,
  assertSound,
  generationOf,
  isGone,
  load,
  movedWithin,
  statistic,
  waitedThroughout,
} from '../support/load.js';
import { createContext } from '../support/subject.js';

const database = inject('databaseUrl');

/** Ids by which a fault must have been felt; where callers wait for its end there are none until then. */
const LIMIT = 5_000;

describe.each(REDIS_CLIENTS)('four processes on one sequence, with %s', (client) => {
  connectWith(client);

  faultTest(
    'go on, in order, when Redis is killed and comes back with an old dump, again and again',
    async () => {
      await using redis = await startRedis();
      await using admin = adminOf(redis.url);
      await using recording = await load(await createContext(redis.url, database, uniqueName('kill')));
      for (let i = 0; i < 4; i++) {
        await recording.issued(2_000);
        await admin.redis.save();
        await recording.issued(2_000);
        const before = recording.noted('void: reign');
        await injectFault(async () => {
          await redis.kill();
          await redis.restart();
        });
        await felt('another reign', () => recording.noted('void: reign') > before, recording.issued(LIMIT));
      }
      await recording.issued(2_000);
      assertSound(await recording.stop());
    },
  );

  faultTest('settle every call, in order, when replies are swallowed and connections cut', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    await using proxy = await startFaultProxy({ target: redis });
    await using recording = await load(await createContext(proxy.url('redis'), database, uniqueName('cut')));
    const connections = () => statistic(admin.redis, 'total_connections_received');
    for (let i = 0; i < 20; i++) {
      await recording.issued(500);
      const before = await connections();
      await injectFault(async () => {
        await proxy.setMode('swallow-replies');
        proxy.cut();
        await proxy.setMode('pass');
      });
      await felt(
        'four new connections',
        async () => (await connections()) >= before + 4,
        recording.issued(LIMIT),
      );
    }
    await recording.issued(500);
    const history = await recording.stop();
    assertSound(history);
    expect(skipped(history), 'ids of replies that were lost').toBeGreaterThan(0);
  });

  faultTest('keep first come, first served while scripts are flushed behind a slow link', async () => {
    assertSound(await flushScripts());
  });
});

describe('four processes on one sequence', () => {
  faultTest('would not, if a process had more than one take in flight', async () => {
    const history = await flushScripts('uncoalesced.ts');
    expect(checkHistory(history, { levels: ['unique', 'fifo'] }).counts).toMatchObject({
      unique: 0,
      fifo: expect.toSatisfy((count: number) => count > 0),
    });
  });

  faultTest('lose nothing but numbers when the hash is deleted under their hands', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    await using recording = await load(await createContext(redis.url, database, uniqueName('del')));
    for (let i = 0; i < 30; i++) {
      await recording.issued(300);
      const before = recording.noted('void: missing');
      await injectFault(() => admin.redis.flushall());
      await felt('a missing hash', () => recording.noted('void: missing') > before, recording.issued(LIMIT));
    }
    assertSound(await recording.stop());
  });

  faultTest('lose nothing but numbers when the hash is evicted', async () => {
    await using redis = await startRedis({
      args: ['--maxmemory', '4mb', '--maxmemory-policy', 'allkeys-random'],
    });
    await using admin = adminOf(redis.url);
    const context = await createContext(redis.url, database, uniqueName('evict'));
    await using recording = await load(context);
    const junk = 'x'.repeat(10_000);
    for (let evictions = 0; evictions < 5; evictions++) {
      await recording.issued(100);
      const before = await generationOf(admin.redis, context);
      const replaced = async () => {
        await injectFault(() =>
          Promise.all(Array.from({ length: 600 }, (_, i) => admin.redis.set(`junk:${i}`, junk))),
        );
        return (await generationOf(admin.redis, context)) !== before;
      };
      // Which keys go is chance: so it may take a few rounds of junk.
      await felt('an evicted hash', replaced, recording.issued(4 * LIMIT));
    }
    expect(recording.noted('void: missing')).toBeGreaterThan(0);
    await injectFault(() => admin.redis.flushall());
    await recording.issued(2_000);
    assertSound(await recording.stop());
  });

  faultTest('wait out a stopped Redis', async () => {
    await using redis = await startRedis();
    await using recording = await load(await createContext(redis.url, database, uniqueName('stop')));
    await recording.issued(2_000);
    const stopped = await injectFault(async () => {
      redis.pause();
      // The sleep is the fault. Each part is as long as a call to Redis may take, and replies on their
      // way arrive in the first.
      await pause(1_100);
      const from = monotonicNow();
      await pause(1_100);
      const until = monotonicNow();
      redis.resume();
      return { from, until };
    });
    await recording.issued(2_000);
    const history = await recording.stop();
    assertSound(history);
    expect(history.failures).toEqual([]);
    expect(stopped && waitedThroughout(history, stopped)).toBe(ALL_CALLERS);
  });

  faultTest(
    'go on while one of them is stopped for longer than a refill may take, and with it afterwards',
    async () => {
      await using redis = await startRedis();
      const context = { ...(await createContext(redis.url, database, uniqueName('sigstop'))), lockMs: 100 };
      await using recording = await load(context);
      const stretches: { from: number; until: number }[] = [];
      for (const process of [1, 2, 3, 4]) {
        await recording.issued(2_000);
        await injectFault(() => recording.kill(process, 'SIGSTOP'));
        // In these it comes to a halt, and in the next the others go on.
        await recording.issued(500);
        const from = monotonicNow();
        await recording.issued(2_500);
        stretches.push({ from, until: monotonicNow() });
        await injectFault(() => recording.kill(process, 'SIGCONT'));
      }
      await recording.issued(2_000);
      const history = await recording.stop();
      assertSound(history);
      for (const [index, stretch] of stretches.entries())
        expect(movedWithin(history, stretch, index + 1)).toBe(0);
    },
  );

  faultTest('go on without those that are killed, whatever they held', async () => {
    await using redis = await startRedis();
    await using recording = await load(await createContext(redis.url, database, uniqueName('kill9')));
    for (const process of [1, 2, 3]) {
      await recording.issued(2_000);
      await injectFault(() => recording.kill(process, 'SIGKILL'));
      await felt(`the end of process ${process}`, () => isGone(recording, process), recording.issued(LIMIT));
    }
    await recording.issued(2_000);
    assertSound(await recording.stop());
  });
});

/** Scripts are flushed again and again behind a slow link, so that some takes have to be sent twice. */
async function flushScripts(subject?: string): Promise<History> {
  await using redis = await startRedis();
  await using proxy = await startFaultProxy({ target: redis });
  proxy.delay(5);
  await using admin = adminOf(redis.url);
  const context = await createContext(proxy.url('redis'), database, uniqueName('flush'));
  await using recording = await load(context, subject);
  for (let i = 0; i < 30; i++) {
    await recording.issued(100);
    const before = await statistic(admin.redis, 'errorstat_NOSCRIPT');
    await injectFault(() => admin.redis.script('FLUSH'));
    await felt(
      'an unknown script',
      async () => (await statistic(admin.redis, 'errorstat_NOSCRIPT')) > before,
      recording.issued(1_000),
    );
  }
  return await recording.stop();
}

/** How many numbers between the least and the greatest id nobody got. */
function skipped({ records }: History): number {
  const ids = records.flatMap((record) => record.ids.map(Number)).sort((a, b) => a - b);
  return (ids.at(-1) ?? 0) - (ids[0] ?? 0) + 1 - ids.length;
}
