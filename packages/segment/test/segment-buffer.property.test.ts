import { IdError } from '@ids/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AdaptiveStep, SegmentBuffer, type SegmentEvent } from '../src/index.js';
import { GUARANTEES, range, settle } from './buffer-support.js';
import { ScriptedSource } from './scripted-source.js';

type Counted = 'nextBatch' | 'nextBatchSync' | 'goBack' | 'giveUp';
type Action =
  | { readonly do: 'next' | 'nextSync' | 'answer' | 'refuse' }
  | { [Name in Counted]: { readonly do: Name; readonly n: number } }[Counted];

const harmless = [
  fc.record({ do: fc.constant('next' as const) }),
  fc.record({ do: fc.constant('nextSync' as const) }),
  fc.record({ do: fc.constant('answer' as const) }),
  fc.record({ do: fc.constant('nextBatch' as const), n: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant('nextBatchSync' as const), n: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant('giveUp' as const), n: fc.nat({ max: 5 }) }),
];
const faults = [
  fc.record({ do: fc.constant('refuse' as const) }),
  fc.record({ do: fc.constant('goBack' as const), n: fc.integer({ min: 1, max: 60 }) }),
];

interface Call {
  ids: number[];
  given: boolean;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** A buffer driven by a script, and everything it gave. */
class Run {
  readonly source = new ScriptedSource();
  readonly events: SegmentEvent[] = [];
  readonly buffer: SegmentBuffer<number>;
  /** Calls that may wait, in the order in which they were made. */
  readonly calls: Call[] = [];
  /** Every id, in the order in which callers got it. */
  readonly given: number[] = [];

  /** The most ids that were reserved or on their way, and not given, at any moment. */
  mostAtRisk = 0;

  constructor(minStep: number, maxStep: number, maxIdsLost?: number) {
    this.buffer = new SegmentBuffer({
      strategy: 'segment-inproc',
      guarantees: GUARANTEES,
      source: this.source,
      name: 'order',
      step: new AdaptiveStep({ minStep, maxStep, maxIdsLost }),
      toId: (value) => value,
      deadlineMs: 60_000,
      onEvent: (event) => this.events.push(event),
    });
  }

  async play(actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      this.#play(action);
      this.#lookAtRisk();
      // Half of the actions share a turn with the one before.
      if (this.calls.length % 2 === 0) await settle();
      this.#lookAtRisk();
    }
    this.source.answerAll();
    await Promise.all(this.calls.map(({ done }) => done));
  }

  #lookAtRisk(): void {
    const inFlight = this.source.pending.reduce((sum, { size }) => sum + size, 0);
    const atRisk = this.source.maxId + inFlight - this.buffer.counters().idsIssued;
    this.mostAtRisk = Math.max(this.mostAtRisk, atRisk);
  }

  #play(action: Action): void {
    const [oldest] = this.source.pending;
    if (action.do === 'next') this.#call(async (signal) => [await this.buffer.next({ signal })]);
    else if (action.do === 'nextBatch') this.#call((signal) => this.buffer.nextBatch(action.n, { signal }));
    else if (action.do === 'nextSync') this.#callSync(() => [this.buffer.nextSync()]);
    else if (action.do === 'nextBatchSync') this.#callSync(() => this.buffer.nextBatchSync(action.n));
    else if (action.do === 'answer') oldest?.answer();
    else if (action.do === 'refuse')
      oldest?.refuse(new IdError('ERR_IDS_UNAVAILABLE', 'refused by the test'));
    else if (action.do === 'goBack') this.source.maxId = Math.max(0, this.source.maxId - action.n);
    else if (action.do === 'giveUp')
      this.calls.at(-1 - action.n)?.controller.abort(new Error('given up by the test'));
  }

  #call(run: (signal: AbortSignal) => Promise<number[]>): void {
    const controller = new AbortController();
    const call: Call = {
      ids: [],
      given: false,
      controller,
      done: run(controller.signal).then(
        (ids) => {
          call.ids = ids;
          call.given = true;
          this.given.push(...ids);
        },
        (error: Error) => expect(error.message).toBe('given up by the test'),
      ),
    };
    this.calls.push(call);
  }

  #callSync(run: () => number[]): void {
    try {
      this.given.push(...run());
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_IDS_NOT_READY' });
    }
  }

  expectPromisesKept(): void {
    const inCallOrder = this.calls.flatMap(({ ids }) => ids);
    expect(inCallOrder, 'first come, first served').toEqual(inCallOrder.toSorted((a, b) => a - b));
    expect(new Set(this.given).size, 'no id twice').toBe(this.given.length);
    expect(this.source.mostAtOnce, 'one fetch at a time').toBeLessThanOrEqual(1);
  }
}

// Smaller than most batches, so that calls wait although ids are in memory.
const steps = fc
  .tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 0, max: 10 }))
  .map(([minStep, more]) => [minStep, minStep + more] as const);

it('repeats, reorders and loses no id while the source is sound, whoever gives up', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fc.oneof(...harmless), { maxLength: 60 }), async (step, actions) => {
      const run = new Run(...step);
      try {
        await run.play(actions);
        await settle();
        run.expectPromisesKept();
        expect(run.given.toSorted((a, b) => a - b)).toEqual(range(1, run.given.length));
        expect(run.given.length + (run.buffer.health().remaining ?? 0)).toBe(run.source.maxId);
      } finally {
        await run.buffer.close();
      }
    }),
    { numRuns: 300 },
  );
});

it('repeats and reorders no id when the source fails and goes back', async () => {
  const action = fc.oneof(...harmless, ...faults);
  await fc.assert(
    fc.asyncProperty(steps, fc.array(action, { maxLength: 60 }), async (step, actions) => {
      const run = new Run(...step);
      try {
        await run.play(actions);
        run.expectPromisesKept();
      } finally {
        await run.buffer.close();
      }
    }),
    { numRuns: 150 },
  );
});

it('has never more ids reserved and not given than may be lost, whoever asks for how many', async () => {
  // From the largest batch on, and with room for one and a half of the least step.
  const bounds = fc.integer({ min: 40, max: 90 });
  await fc.assert(
    fc.asyncProperty(
      steps,
      bounds,
      fc.array(fc.oneof(...harmless), { maxLength: 60 }),
      async ([minStep], maxIdsLost, actions) => {
        const run = new Run(minStep, 1_000, maxIdsLost);
        try {
          await run.play(actions);
          run.expectPromisesKept();
          expect(run.mostAtRisk).toBeLessThanOrEqual(maxIdsLost);
        } finally {
          await run.buffer.close();
        }
      },
    ),
    { numRuns: 200 },
  );
});
