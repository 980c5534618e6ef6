import { IdError } from '@ids/core';
import { startFaultProxy, startRedis, uniqueName } from '@ids/local-services';
import { faultsOff, faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import type { ReserveOptions, Segment, SegmentSource, SequenceState } from '@ids/segment';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createSegmentRedisDbGenerator, type SegmentRedisDbEvent } from '../../src/index.js';
import { openUrl } from '../support/connect-in-process.js';
import { statusOf } from '../support/connected-client.js';
import { Fixture } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';
import { createContext } from '../support/subject.js';

describe('the health of a dispenser', () => {
  faultTest(
    'is down while Redis is away, however many ids it held, and well again once it answers',
    async () => {
      await using fixture = new Fixture('ids:');
      await using server = await startRedis();
      const generator = await fixture.generator(server.url, { deadlineMs: 2_000 });
      await generator.ready();
      await generator.next();
      expect(generator.health()).toMatchObject({ status: 'ok', remaining: 999 });
      await injectFault(() => server.kill());
      await expect(generator.next()).rejects.toMatchObject({ retryable: true });
      expect(generator.health()).toMatchObject({
        status: 'down',
        remaining: 0,
        lastError: { code: expect.stringMatching(/^ERR_IDS_(UNAVAILABLE|TIMEOUT)$/) },
      });
      await injectFault(() => server.restart());
      let id = 0;
      while (id === 0) id = await generator.next().catch(() => 0);
      expect(id).toBeGreaterThan(1);
      expect(generator.health().status).toBe('ok');
    },
  );

  faultTest('is down as soon as its client has lost Redis, without a call, until it is back', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const redis = fixture.connect(server.url);
    const byUrl = await openUrl(server.url);
    onTestFinished(byUrl.disconnect);
    const own = await fixture.generator(server.url, { redis: redis.client });
    const owned = await fixture.generator(server.url, { redis: byUrl.client });
    for (const generator of [own, owned]) await generator.ready();
    const status = () => expect.poll(() => statusOf(redis), { interval: 1, timeout: 30_000 });
    await injectFault(() => server.kill());
    if (!faultsOff) await status().not.toBe('ready');
    const down = {
      status: 'down',
      remaining: 0,
      lastError: { code: 'ERR_IDS_UNAVAILABLE', message: expect.stringContaining('no connection to Redis') },
    };
    expect(own.health()).toMatchObject(down);
    await expect.poll(() => owned.health(), { timeout: 30_000 }).toMatchObject(down);
    await injectFault(() => server.restart());
    await status().toBe('ready');
    expect(own.health()).toMatchObject({ status: 'ok', remaining: 1_000 });
    expect(own.health()).not.toHaveProperty('lastError');
    redis.disconnect();
    await status().toBe('end');
    expect(own.health()).toMatchObject({ ...down, lastError: { message: expect.stringContaining('"end"') } });
  });

  it('is not ready until the first segment is there, without being asked', async () => {
    await using fixture = new Fixture(uniqueName('health'));
    const source = new GatedSource(fixture.source);
    source.shut();
    const generator = await fixture.generator(inject('redisUrl'), { source });
    await source.held();
    expect(generator.health()).toEqual({ status: 'not-ready', remaining: 0 });
    await source.close();
    await expect.poll(() => generator.health()).toEqual({ status: 'ok', remaining: 1_000 });
  });

  it('is ok behind a call that waited for its segment', async () => {
    await using fixture = new Fixture(uniqueName('health'));
    const generator = await fixture.generator(inject('redisUrl'));
    await generator.nextBatch(1_500);
    expect(generator.health()).toEqual({ status: 'ok', remaining: expect.any(Number) });
    expect(generator.health().remaining).toBeGreaterThan(0);
  });

  faultTest(
    'is down while the database hangs, in the process that asks it and in one that waits',
    async () => {
      const [redis, database] = [inject('redisUrl'), inject('databaseUrl')];
      const context = await createContext(redis, database, uniqueName('health'));
      const open = async (): Promise<Observed> => {
        const events: SegmentRedisDbEvent[] = [];
        const options = { ...context, minStep: 10, maxStep: 10, deadlineMs: 1_500, lockMs: 60_000 };
        const generator = await createSegmentRedisDbGenerator({
          ...options,
          onEvent: (event) => void events.push(event),
        });
        onTestFinished(() => generator.close());
        return { generator, timeouts: () => events.filter(({ type }) => type === 'timeout') };
      };
      const [asking, waiting] = [await open(), await open()];
      await asking.generator.ready();
      const unlock = await lockRow(database, context.table);
      for (const { generator, timeouts } of [asking, waiting]) {
        // More than Redis holds.
        const calls = Array.from({ length: 2 }, () => generator.nextBatch(100));
        const [first, second] = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
        expect(first).toMatchObject({
          code: 'ERR_IDS_TIMEOUT',
          cause: { code: 'ERR_IDS_TIMEOUT', message: expect.stringMatching(/segment/) },
        });
        expect(second).toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
        expect(timeouts()).toEqual([{ type: 'timeout', name: context.name, error: first }]);
        expect(generator.health()).toMatchObject({
          status: 'down',
          remaining: 0,
          lastError: { code: 'ERR_IDS_TIMEOUT', message: expect.stringMatching(/segment/) },
        });
      }
      await unlock();
      for (const { generator } of [asking, waiting]) {
        await expect.poll(() => generator.next().catch(() => 0), { timeout: 30_000 }).toBeGreaterThan(0);
        await generator.ready();
        expect(generator.health()).toMatchObject({ status: 'ok' });
        expect(generator.health()).not.toHaveProperty('lastError');
      }
    },
  );

  faultTest('is down while calls get no id, also right after others were refused', async () => {
    // By a clock of its own, so that no pause of this process counts.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    await using fixture = new Fixture(uniqueName('health'));
    const redis = fixture.client(inject('redisUrl'));
    const source = new SpoilableSource(fixture.source, () => redis.del(fixture.key));
    const generator = await fixture.generator(inject('redisUrl'), { source, step: 10 });
    await generator.nextBatch(10);
    await injectFault(() => source.spoil());
    const refused = generator.nextBatch(100);
    await expect.poll(() => source.asked).toBe(true);
    vi.advanceTimersByTime(700);
    source.refuse();
    await expect(refused).rejects.toBe(source.refusal);
    const controller = new AbortController();
    const waiting = generator.nextBatch(100, { signal: controller.signal });
    await expect.poll(() => source.late).toBeGreaterThan(0);
    vi.advanceTimersByTime(400);
    expect(generator.health()).toMatchObject({ status: 'down', lastError: { code: 'ERR_IDS_TIMEOUT' } });
    controller.abort();
    await expect(waiting).rejects.toThrow();
  });

  faultTest('is degraded while the ids of each call come after its deadline', async () => {
    await using fixture = new Fixture(uniqueName('health'));
    const target = { host: '127.0.0.1', port: Number(new URL(inject('redisUrl')).port) };
    await using proxy = await startFaultProxy({ target });
    const generator = await fixture.generator(proxy.url('redis'), { deadlineMs: 100 });
    await expect.poll(() => generator.ready().then(() => 'ready', String)).toBe('ready');
    await injectFault(() => proxy.delay(150));
    const statusAfterCall = async () => {
      const { takes } = generator.counters();
      await generator.next().catch(() => {});
      await vi.waitUntil(() => generator.counters().takes > takes, { timeout: 10_000 });
      return generator.health().status;
    };
    await expect.poll(statusAfterCall, { timeout: 30_000 }).toBe('degraded');
  });

  faultTest(
    'names Redis in the error of a call that it left without an answer, however short its deadline',
    async () => {
      await using fixture = new Fixture(uniqueName('health'));
      const target = { host: '127.0.0.1', port: Number(new URL(inject('redisUrl')).port) };
      await using proxy = await startFaultProxy({ target });
      const generator = await fixture.generator(proxy.url('redis'), { deadlineMs: 100 });
      // However often a busy machine exceeds that deadline.
      await expect.poll(() => generator.ready().then(() => 'ready', String)).toBe('ready');
      await injectFault(() => proxy.setMode('blackhole'));
      await expect(generator.next()).rejects.toMatchObject({
        code: 'ERR_IDS_TIMEOUT',
        cause: { message: expect.stringMatching(/^Redis has not answered for \d+ ms$/) },
      });
      await proxy.setMode('pass');
    },
  );
});

/**
 * Once spoilt, it lets one reservation wait until `refuse`, and returns each later segment after the hash
 * that it is for was lost.
 */
class SpoilableSource implements SegmentSource {
  readonly refusal = new IdError('ERR_IDS_CONFIG', 'the right was revoked');
  /** How many segments came too late for their hash. */
  late = 0;
  readonly #source: SegmentSource;
  readonly #loseHash: () => Promise<unknown>;
  #spoilt = false;
  #refused: Promise<void> | undefined;
  #refuse: () => void = () => {};

  constructor(source: SegmentSource, loseHash: () => Promise<unknown>) {
    this.#source = source;
    this.#loseHash = loseHash;
  }

  /** Whether a reservation has waited for `refuse`. */
  get asked(): boolean {
    return this.#refused !== undefined;
  }

  spoil(): void {
    this.#spoilt = true;
  }

  refuse(): void {
    this.#refuse();
  }

  describe(name: string): Promise<SequenceState> {
    return this.#source.describe(name);
  }

  async reserve(name: string, size: number, options?: ReserveOptions): Promise<Segment> {
    if (this.#spoilt && this.#refused === undefined) {
      this.#refused = new Promise((resolve) => {
        this.#refuse = resolve;
      });
      await this.#refused;
      throw this.refusal;
    }
    const segment = await this.#source.reserve(name, size, options);
    if (this.#spoilt) {
      await this.#loseHash();
      this.late += 1;
    }
    return segment;
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

interface Observed {
  readonly generator: Awaited<ReturnType<typeof createSegmentRedisDbGenerator>>;
  readonly timeouts: () => SegmentRedisDbEvent[];
}

/** Locks the rows of the segment table until the function that it resolves with is called. */
async function lockRow(database: string, table: string): Promise<() => Promise<void>> {
  const blocker = new pg.Client(database);
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query('BEGIN');
  await injectFault(() => blocker.query(`SELECT FROM "${table}" FOR UPDATE`));
  return async () => {
    await blocker.query('ROLLBACK');
  };
}
