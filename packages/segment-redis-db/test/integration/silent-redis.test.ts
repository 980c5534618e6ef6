import { startFaultProxy, startRedis } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { MemorySegmentSource } from '@ids/segment';
import { describe, expect, onTestFinished } from 'vitest';
import {
  createSegmentRedisDbGenerator,
  type RedisClient,
  type SegmentRedisDbEvent,
} from '../../src/index.js';
import { openIoredis } from '../../src/open-ioredis.js';
import { openNodeRedis } from '../../src/open-node-redis.js';
import { probe } from '../../src/scripts.generated.js';
import { evaluate } from '../../src/scripts.js';
import { Silence, type SilenceEvent } from '../../src/silence.js';
import { REDIS_CLIENTS } from '../support/client-names.js';
import { connectTo } from '../support/connect-to.js';

/** A Redis behind a proxy. When it freezes, new connections lead to another one. */
async function freezing() {
  const [frozen, next] = await Promise.all([startRedis(), startRedis()]);
  const proxy = await startFaultProxy({ target: frozen });
  onTestFinished(async () => {
    await Promise.all([proxy.close(), frozen.close(), next.close()]);
  });
  const freeze = () =>
    injectFault(() => {
      frozen.pause();
      proxy.retarget(next);
    });
  return { url: proxy.url('redis'), freeze };
}

async function opened(redis: RedisClient | string, deadlineMs: number) {
  const events: SegmentRedisDbEvent[] = [];
  const source = new MemorySegmentSource({ order: {} });
  const onEvent = (event: SegmentRedisDbEvent) => void events.push(event);
  const generator = await createSegmentRedisDbGenerator({
    name: 'order',
    redis,
    source,
    deadlineMs,
    onEvent,
  });
  onTestFinished(() => generator.close());
  return { generator, silences: () => events.filter(({ type }) => type === 'silent-connection') };
}

faultTest('a start ends by its deadline at a Redis that accepts and never answers', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  await injectFault(() => redis.pause());
  const ended: string[] = [];
  const start = (deadlineMs: number) =>
    opened(redis.url, deadlineMs).then(
      () => 'opened',
      ({ code }) => void ended.push(`${deadlineMs} ${code}`),
    );
  await Promise.all([start(60_000), start(500)]);
  expect(ended).toEqual(['500 ERR_IDS_TIMEOUT', '60000 ERR_IDS_TIMEOUT']);
});

describe.each(REDIS_CLIENTS)('a connection that freezes, of %s', (name) => {
  faultTest('is replaced where a URL was given, so that calls are answered again', async () => {
    const { url, freeze } = await freezing();
    const { redis, replace, close } =
      name === 'ioredis'
        ? await openIoredis(await import('ioredis'), url)
        : await openNodeRedis(await import('redis'), url);
    onTestFinished(close);
    const events: SilenceEvent[] = [];
    const onEvent = (event: SilenceEvent) => void events.push(event);
    const silence = new Silence({ name: 'order', client: url, redis, replace, onEvent });
    const answered = () =>
      evaluate(redis, probe, 'silent', [], silence).then(
        () => true,
        () => false,
      );
    expect(await answered()).toBe(true);
    await freeze();
    expect(await answered(), 'before it is replaced').toBe(false);
    await expect.poll(answered, { timeout: 20_000 }).toBe(true);
    expect(events).toMatchObject([{ replaced: true }]);
  });

  faultTest('stays where a client was given, and one event says what ends it', async () => {
    const { url, freeze } = await freezing();
    const { client, disconnect } = connectTo(url, name);
    onTestFinished(disconnect);
    const { generator, silences } = await opened(client, 5_000);
    await generator.next();
    await freeze();
    const calls = Promise.allSettled([generator.next(), generator.next()]);
    await felt('no answer', () => silences().length > 0, calls);
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const advice = name === 'ioredis' ? 'socketTimeout' : 'destroy()';
    expect(silences()).toMatchObject([
      { replaced: false, error: { message: expect.stringContaining(advice) } },
    ]);
  });
});
