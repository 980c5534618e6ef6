import fc from 'fast-check';
import { expect } from 'vitest';
import type * as segment from '../src/index.js';
import { GUARANTEES } from './buffer-support.js';

type Call =
  | { readonly do: 'next' }
  | { readonly do: 'nextSync' }
  | { readonly do: 'nextBatch'; readonly n: number };

const calls = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('next' as const) }),
    fc.record({ do: fc.constant('nextSync' as const) }),
    fc.record({ do: fc.constant('nextBatch' as const), n: fc.integer({ min: 1, max: 30 }) }),
  ),
  { minLength: 1, maxLength: 40 },
);
const steps = fc.integer({ min: 1, max: 12 });

/** A sound source, the scheduler's to answer when it likes. */
class ScheduledSource {
  mostAtOnce = 0;
  #atOnce = 0;
  readonly source: segment.SegmentSource;
  readonly maxId: () => Promise<number>;

  constructor(memory: segment.MemorySegmentSource, scheduler: fc.Scheduler) {
    const answer = scheduler.scheduleFunction((size: number, floor?: number) =>
      memory.reserve('order', size, floor === undefined ? {} : { floor }),
    );
    this.maxId = async () => (await memory.describe('order')).maxId;
    this.source = {
      describe: (name) => memory.describe(name),
      close: () => memory.close(),
      reserve: async (_name, size, options) => {
        this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#atOnce);
        const segment = await answer(size, options?.floor);
        this.#atOnce -= 1;
        return segment;
      },
    };
  }
}

/**
 * Rejects unless the buffer of `{ SegmentBuffer, ... }` keeps its promises in whatever order callers come and
 * a source answers: ids rise, none twice, none lost, first come first served, one fetch at a time.
 */
export function checkScheduledCalls(code: typeof segment, numRuns: number): Promise<void> {
  return fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, calls, async (scheduler, step, script) => {
      const memory = new code.MemorySegmentSource({ order: {} });
      const scheduled = new ScheduledSource(memory, scheduler);
      const buffer = new code.SegmentBuffer({
        strategy: 'segment-inproc',
        guarantees: GUARANTEES,
        source: scheduled.source,
        name: 'order',
        step: new code.AdaptiveStep({ minStep: step, maxStep: 2 * step }),
        toId: (value) => value,
        deadlineMs: 60_000,
      });
      /** Of calls that may wait, in the order in which they were made. */
      const promised: Promise<number[]>[] = [];
      const given: number[] = [];
      const play = (call: Call): void => {
        if (call.do === 'nextSync') {
          try {
            given.push(buffer.nextSync());
          } catch (error) {
            expect(error).toMatchObject({ code: 'ERR_IDS_NOT_READY' });
          }
          return;
        }
        const ids = call.do === 'next' ? buffer.next().then((id) => [id]) : buffer.nextBatch(call.n);
        promised.push(ids);
        void ids.then((some) => given.push(...some));
      };
      try {
        const made = script.map((call) =>
          scheduler.schedule(Promise.resolve(), call.do).then(() => play(call)),
        );
        await scheduler.waitFor(Promise.all(made));
        const inCallOrder = (await scheduler.waitFor(Promise.all(promised))).flat();
        await scheduler.waitIdle();
        expect(inCallOrder, 'first come, first served').toEqual(inCallOrder.toSorted((a, b) => a - b));
        expect(new Set(given).size, 'no id twice').toBe(given.length);
        expect(Math.max(0, ...given), 'none lost').toBe(given.length);
        expect(given.length + (buffer.health().remaining ?? 0), 'none lost').toBe(await scheduled.maxId());
        expect(scheduled.mostAtOnce, 'one fetch at a time').toBeLessThanOrEqual(1);
      } finally {
        await buffer.close();
      }
    }),
    { numRuns },
  );
}
