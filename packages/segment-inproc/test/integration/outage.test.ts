import { setTimeout as pause } from 'node:timers/promises';
import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type { SegmentEvent } from '@ids/segment';
import { describe, expect, onTestFinished } from 'vitest';
import { createSegmentInprocGenerator } from '../../src/index.js';
import { createContext } from '../support/subject.js';

/** How often the generator finds the database away. */
const FAILURES = 5;

describe.each(SQL_DIALECTS)('segment-inproc on $server', ({ start }) => {
  faultTest(
    'gives the ids that health() promises while the database is away in mid-load, then goes on by itself',
    async () => {
      const server = await start();
      onTestFinished(() => server.close());
      const context = await createContext(server.url, uniqueName('outage'), 'number');
      const given: number[] = [];
      let failures = 0;
      const watchers = new Map<SegmentEvent['type'], () => void>();
      /** Resolves with what `look` saw in the moment of the next such event. */
      const seen = <T>(type: SegmentEvent['type'], look: () => T) =>
        new Promise<T>((resolve) => watchers.set(type, () => resolve(look())));
      const generator = await createSegmentInprocGenerator({
        ...context,
        minStep: 5_000,
        maxStep: 5_000,
        deadlineMs: 60_000,
        onEvent: ({ type }) => {
          if (type === 'refill-failed') failures++;
          watchers.get(type)?.();
          watchers.delete(type);
        },
      });
      onTestFinished(() => generator.close());

      let loaded = true;
      const load = Array.from({ length: 4 }, async () => {
        while (loaded) {
          given.push(await generator.next());
          await pause(1);
        }
      });
      // Awaited at the end, unless an assertion fails before.
      for (const caller of load) caller.catch(() => undefined);
      // So long that there is a rate.
      while (!('secondsLeft' in generator.health())) await pause(10);

      await injectFault(() => server.stop('immediate'));
      const refilled = seen('refill', () => {});
      // Below the low-water mark at once, so that the buffer asks in vain.
      given.push(...generator.nextBatchSync(Math.max(0, (generator.health().remaining ?? 0) - 2_000)));
      await felt('a failed refill', () => failures > 0, refilled);
      const { status, remaining = 0, secondsLeft } = generator.health();
      const issuedBefore = generator.counters().idsIssued;
      const issuedUntilRefill = seen('refill', () => generator.counters().idsIssued);
      expect(status).toBe('degraded');
      expect(remaining).toBeGreaterThan(0);
      expect(secondsLeft).toBeGreaterThan(0);
      // Nearly all at once, since a slow machine would not come to the end in time; the load takes the rest.
      given.push(...generator.nextBatchSync(Math.max(0, remaining - 50)));
      while (generator.health().status !== 'down') await pause(1);
      while (failures < FAILURES) await pause(1);
      expect(generator.health()).toMatchObject({ status: 'down', remaining: 0 });
      await injectFault(() => server.start());
      expect((await issuedUntilRefill) - issuedBefore).toBe(remaining);
      const target = given.length + 1_000;
      while (given.length < target) await pause(1);
      loaded = false;
      await Promise.all(load);
      expect(generator.health()).toMatchObject({ status: 'ok' });
      expect(generator.counters().waits).toBeGreaterThanOrEqual(4);
      expect(given).toEqual(given.toSorted((a, b) => a - b));
      expect(new Set(given).size).toBe(given.length);
    },
  );
});
