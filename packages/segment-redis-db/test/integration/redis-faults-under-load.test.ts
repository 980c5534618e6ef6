import { checkHistory, type History } from '@ids/conformance';
import { startFaultProxy, startRedis, uniqueName } from '@ids/local-services';
import { describe, expect, inject, it } from 'vitest';
import { adminOf, assertSound, load } from '../support/load.js';
import { createContext } from '../support/subject.js';

const database = inject('databaseUrl');

describe('four processes on one sequence', () => {
  it('go on, in order, when Redis is killed and comes back with an old dump, again and again', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    const recording = await load(await createContext(redis.url, database, uniqueName('kill')));
    for (let i = 0; i < 4; i++) {
      await recording.issued(2_000);
      await admin.redis.save();
      await recording.issued(2_000);
      await redis.kill();
      await redis.restart();
    }
    await recording.issued(2_000);
    assertSound(await recording.stop());
  });

  it('settle every call, in order, when replies are swallowed and connections cut', async () => {
    await using redis = await startRedis();
    await using proxy = await startFaultProxy({ target: redis });
    const recording = await load(await createContext(proxy.url('redis'), database, uniqueName('cut')));
    for (let i = 0; i < 20; i++) {
      await recording.issued(500);
      await proxy.setMode('swallow-replies');
      proxy.cut();
      await proxy.setMode('pass');
    }
    await recording.issued(500);
    assertSound(await recording.stop());
  });

  /** Scripts are flushed again and again behind a slow link, so that some takes have to be sent twice. */
  async function flushScripts(subject?: string): Promise<History> {
    await using redis = await startRedis();
    await using proxy = await startFaultProxy({ target: redis });
    proxy.delay(5);
    await using admin = adminOf(redis.url);
    const context = await createContext(proxy.url('redis'), database, uniqueName('flush'));
    const recording = await load(context, subject);
    for (let i = 0; i < 30; i++) {
      await recording.issued(100);
      await admin.redis.script('FLUSH');
    }
    return await recording.stop();
  }

  it('keep first come, first served while scripts are flushed behind a slow link', async () => {
    assertSound(await flushScripts());
  });

  it('would not, if a process had more than one take in flight', async () => {
    const history = await flushScripts('uncoalesced.ts');
    expect(checkHistory(history, { levels: ['unique', 'fifo'] }).counts).toMatchObject({
      unique: 0,
      fifo: expect.toSatisfy((count: number) => count > 0),
    });
  });

  it('lose nothing but numbers when the hash is deleted under their hands', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    const recording = await load(await createContext(redis.url, database, uniqueName('del')));
    for (let i = 0; i < 30; i++) {
      await recording.issued(300);
      await admin.redis.flushall();
    }
    assertSound(await recording.stop());
  });

  it('lose nothing but numbers when the hash is evicted', async () => {
    await using redis = await startRedis({
      args: ['--maxmemory', '4mb', '--maxmemory-policy', 'allkeys-random'],
    });
    await using admin = adminOf(redis.url);
    const context = await createContext(redis.url, database, uniqueName('evict'));
    const recording = await load(context);
    const hash = `${context.keyPrefix}{${context.name}}`;
    const junk = 'x'.repeat(10_000);
    for (let evictions = 0; evictions < 5; ) {
      await recording.issued(100);
      const before = await admin.redis.hget(hash, 'g');
      await Promise.all(Array.from({ length: 600 }, (_, i) => admin.redis.set(`junk:${i}`, junk)));
      if ((await admin.redis.hget(hash, 'g')) !== before) evictions++;
    }
    await admin.redis.flushall();
    await recording.issued(2_000);
    assertSound(await recording.stop());
  });

  it('wait out a stopped Redis', async () => {
    await using redis = await startRedis();
    const recording = await load(await createContext(redis.url, database, uniqueName('stop')));
    await recording.issued(2_000);
    redis.pause();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    redis.resume();
    await recording.issued(2_000);
    const history = await recording.stop();
    assertSound(history);
    expect(history.failures).toEqual([]);
  });

  it('go on while one of them is stopped for longer than a refill may take, and with it afterwards', async () => {
    await using redis = await startRedis();
    const context = { ...(await createContext(redis.url, database, uniqueName('sigstop'))), lockMs: 100 };
    const recording = await load(context);
    for (const process of [1, 2, 3, 4]) {
      await recording.issued(2_000);
      recording.kill(process, 'SIGSTOP');
      await recording.issued(3_000);
      recording.kill(process, 'SIGCONT');
    }
    await recording.issued(2_000);
    assertSound(await recording.stop());
  });

  it('go on without those that are killed, whatever they held', async () => {
    await using redis = await startRedis();
    const recording = await load(await createContext(redis.url, database, uniqueName('kill9')));
    for (const process of [1, 2, 3]) {
      await recording.issued(2_000);
      recording.kill(process, 'SIGKILL');
    }
    await recording.issued(2_000);
    assertSound(await recording.stop());
  });
});
