// Ids per second with node-redis beside ioredis:
// tsx packages/segment-redis-db/test/measure/clients.ts [seconds per round] [rounds]
// The clients take turns on one server. Printed: the median of each, and the median and the quartiles of the
// ratios of the rounds to ioredis. The bare script shows what the client itself costs.
import { startRedis } from '@ids/local-services';
import { MemorySegmentSource } from '@ids/segment';
import { Redis } from 'ioredis';
import * as six from 'redis';
import * as five from 'redis5';
import { createSegmentRedisDbGenerator, type RedisClient } from '../../src/index.js';

const seconds = Number(process.argv[2] ?? 0.2);
const ROUNDS = Number(process.argv[3] ?? 21);
const BARE = "return redis.call('INCR', KEYS[1])";

await using server = await startRedis();

interface Measured {
  readonly redis: RedisClient;
  bare(): Promise<unknown>;
  disconnect(): void;
}

async function ofNodeRedis(create: typeof six.createClient): Promise<Measured> {
  const redis = create({ url: server.url });
  redis.on('error', console.error);
  await redis.connect();
  const sha1 = await redis.scriptLoad(BARE);
  return {
    redis,
    bare: () => redis.evalSha(sha1, { keys: ['bare'] }),
    disconnect: () => redis.destroy(),
  };
}

async function ofIoredis(): Promise<Measured> {
  const redis = new Redis(server.url);
  const sha1 = String(await redis.script('LOAD', BARE));
  return { redis, bare: () => redis.evalsha(sha1, 1, 'bare'), disconnect: () => redis.disconnect() };
}

/** Calls per second of `callers` that call again as soon as they are answered. */
async function rate(call: () => Promise<unknown>, callers: number): Promise<number> {
  const until = performance.now() + 1_000 * seconds;
  let calls = 0;
  const work = Array.from({ length: callers }, async () => {
    while (performance.now() < until) {
      await call();
      calls++;
    }
  });
  await Promise.all(work);
  return calls / seconds;
}

function quantile(values: readonly number[], at: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * at)] ?? Number.NaN;
}

/** Lets `calls` take turns, each of them first in its round, and prints their ratios to the first one. */
async function compare(
  title: string,
  calls: readonly (readonly [string, () => Promise<unknown>])[],
  callers: number,
): Promise<void> {
  const rates = calls.map((): number[] => []);
  for (let round = -2; round < ROUNDS; round++) {
    for (let i = 0; i < calls.length; i++) {
      const turn = (i + round + 2) % calls.length;
      const call = calls[turn]?.[1];
      if (call === undefined) continue;
      const measured = await rate(call, callers);
      if (round >= 0) rates[turn]?.push(measured);
    }
  }
  for (const [index, [name]] of calls.entries()) {
    const all = rates[index] ?? [];
    const ratios = all.map((one, round) => one / (rates[0]?.[round] ?? Number.NaN));
    const [low, mid, high] = [0.25, 0.5, 0.75].map((at) => quantile(ratios, at).toFixed(2));
    console.log(`${title}, ${name}: ${Math.round(quantile(all, 0.5))}/s, ${mid} (${low} to ${high})`);
  }
}

const clients = new Map<string, Measured>([
  ['ioredis', await ofIoredis()],
  ['node-redis 5', await ofNodeRedis(five.createClient as unknown as typeof six.createClient)],
  ['node-redis 6', await ofNodeRedis(six.createClient)],
]);
const generators = new Map(
  await Promise.all(
    [...clients].map(async ([name, { redis }]) => {
      const source = new MemorySegmentSource({ order: { startAfter: 0 } });
      const step = { minStep: 1_000_000, maxStep: 1_000_000 };
      const options = { name: 'order', redis, source, keyPrefix: `${name.replace(' ', '-')}:`, ...step };
      return [name, await createSegmentRedisDbGenerator(options)] as const;
    }),
  ),
);

const bare = [...clients].map(([name, client]) => [name, client.bare] as const);
await compare('a bare script, 1 caller', bare, 1);
for (const callers of [1, 16, 256]) {
  const calls = [...generators].map(([name, generator]) => [name, () => generator.next()] as const);
  await compare(`the dispenser, ${callers} callers`, calls, callers);
}
for (const generator of generators.values()) await generator.close();
for (const { disconnect } of clients.values()) disconnect();
