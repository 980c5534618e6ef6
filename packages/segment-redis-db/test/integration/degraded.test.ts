import { IdError } from '@ids/core';
import { startRedis } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { MemorySegmentSource, type ReserveOptions, type Segment, type SegmentSource } from '@ids/segment';
import { describe, expect } from 'vitest';
import type { SegmentRedisDbEvent } from '../../src/index.js';
import { Fixture } from '../support/fixture.js';

class RefusingSource extends MemorySegmentSource {
  refuses = false;

  override async reserve(name: string, size: number, options?: ReserveOptions): Promise<Segment> {
    if (this.refuses) throw new IdError('ERR_IDS_UNAVAILABLE', 'the source is away');
    return super.reserve(name, size, options);
  }
}

describe('the health of a dispenser whose source fails', () => {
  faultTest(
    'is degraded while Redis still has ids, down without any, and ok after the next segment',
    async () => {
      await using fixture = new Fixture('ids:');
      await using server = await startRedis();
      const source = new RefusingSource({ order: {} });
      let heard = (_: SegmentRedisDbEvent): void => {};
      const generator = await fixture.generator(server.url, {
        source,
        step: 10,
        deadlineMs: 300,
        onEvent: (event) => heard(event),
      });
      const refill = () =>
        new Promise<SegmentRedisDbEvent['type']>((resolve) => {
          heard = ({ type }) => {
            if (type === 'refill' || type === 'refill-failed') resolve(type);
          };
        });
      await generator.ready();
      expect(generator.health()).toMatchObject({ status: 'ok', remaining: 10 });

      const next = refill();
      await injectFault(() => {
        source.refuses = true;
      });
      // Half a segment is left, which asks for the next one.
      expect(await generator.nextBatch(5)).toEqual([1, 2, 3, 4, 5]);
      expect(await next).toBe('refill-failed');
      const lastError = { code: 'ERR_IDS_UNAVAILABLE', message: 'the source is away' };
      expect(generator.health()).toMatchObject({ status: 'degraded', remaining: 5, lastError });

      expect(await generator.nextBatch(5)).toEqual([6, 7, 8, 9, 10]);
      await expect(generator.next()).rejects.toMatchObject({ retryable: true });
      expect(generator.health()).toMatchObject({ status: 'down', remaining: 0, lastError });

      const healed = refill();
      source.refuses = false;
      while ((await generator.next().catch(() => 0)) === 0);
      expect(await healed).toBe('refill');
      expect(generator.health()).toMatchObject({ status: 'ok' });
    },
  );

  faultTest('is ok again when another process has refilled', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const source = new RefusingSource({ order: {} });
    let heard = (_: SegmentRedisDbEvent): void => {};
    const onEvent = (event: SegmentRedisDbEvent) => heard(event);
    const generator = await fixture.generator(server.url, { source, step: 10, onEvent });
    await generator.ready();
    const outcome = new Promise<string>((resolve) => {
      heard = ({ type }) => resolve(type);
    });
    await injectFault(() => {
      source.refuses = true;
    });
    await generator.nextBatch(5);
    expect(await outcome).toBe('refill-failed');
    expect(generator.health()).toMatchObject({ status: 'degraded', remaining: 5 });
    // The same store, which does not refuse the other process.
    const healthy: SegmentSource = {
      describe: (name) => source.describe(name),
      reserve: (...request) => MemorySegmentSource.prototype.reserve.apply(source, request),
      close: async () => {},
    };
    const other = await fixture.generator(server.url, { source: healthy, step: 10, lockMs: 10 });
    await other.nextBatch(10);
    await generator.nextBatch(1);
    expect(generator.health()).toMatchObject({ status: 'ok' });
  });
});
