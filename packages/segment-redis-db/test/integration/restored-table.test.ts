import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { AdaptiveStep, SegmentBuffer, type SegmentEvent } from '@ids/segment';
import { openSqlSource } from '@ids/segment/sql';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { createSegmentRedisDbGenerator, type SegmentRedisDbEvent, segmentRedisDb } from '../../src/index.js';
import { type Context, createContext } from '../support/subject.js';

const STEP = { minStep: 100, maxStep: 100 };
const AFTER = { afterRestore: 10_000 };

interface Dispenser {
  nextBatch(count: number): Promise<number[]>;
  close(): Promise<void>;
}

/** Segments in process memory, as `segment-inproc` has them, on the same row. */
async function openInProcess(
  { database, table, name }: Context,
  onEvent: (event: SegmentEvent) => void,
): Promise<Dispenser> {
  const source = await openSqlSource({ database, table, ...AFTER });
  onTestFinished(() => source.close());
  const buffer = new SegmentBuffer({
    strategy: 'in process',
    guarantees: segmentRedisDb.guarantees({ as: 'number' } as never),
    source,
    name,
    step: new AdaptiveStep(STEP),
    toId: (value) => value,
    deadlineMs: 5_000,
    onEvent,
  });
  onTestFinished(() => buffer.close());
  return buffer;
}

async function openOverRedis(
  context: Context,
  onEvent: (event: SegmentRedisDbEvent) => void,
): Promise<Dispenser & { health(): object }> {
  const generator = await createSegmentRedisDbGenerator({ ...context, ...STEP, ...AFTER, onEvent });
  onTestFinished(() => generator.close());
  return generator;
}

describe.each(SQL_DIALECTS)('on $server', ({ shared, dumpTable }) => {
  faultTest(
    'dispensers over Redis and in process memory repeat nothing of a restored row that they share',
    async () => {
      const unique = uniqueName('restored');
      const context = await createContext(inject('redisUrl'), await shared(), unique);
      const events: SegmentRedisDbEvent[] = [];
      const onEvent = (event: SegmentRedisDbEvent) => void events.push(event);
      const overRedis = await openOverRedis(context, onEvent);
      const inProcess = await openInProcess(context, onEvent);
      const given: number[] = [];
      const take = async (dispenser: Dispenser, count: number): Promise<void> => {
        given.push(...(await dispenser.nextBatch(count)));
      };
      await take(overRedis, 50);
      await take(inProcess, 50);
      const dump = await dumpTable(context.database, context.table);
      await take(overRedis, 500);
      await injectFault(() => dump.restoreTo(context.database));
      // The one that had seen less asks first.
      await take(inProcess, 600);
      await take(overRedis, 600);
      await take(await openInProcess(context, onEvent), 300);
      expect(events.filter(({ type }) => type === 'new-reign')).toEqual([
        expect.objectContaining({ cause: 'restore', skipped: AFTER.afterRestore }),
      ]);
      expect(given.length - new Set(given).size).toBe(0);
    },
  );
});
