import { checkHistory, emptyHistory, type History, monotonicNow } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import { faultsOff, faultTest, injectFault } from '@ids/local-services/fault-test';
import fc, { type AsyncCommand, type Scheduler } from 'fast-check';
import type { Redis } from 'ioredis';
import { describe, expect, inject } from 'vitest';
import { Fixture } from '../support/fixture.js';
import { MUTANTS, type Mutant } from '../support/mutant.js';
import { ScriptedSource } from '../support/scripted-source.js';

const url = inject('redisUrl');

type Generator = Awaited<ReturnType<Fixture['generator']>>;

/** What is known of a run: whether anything went wrong in it, by which ids may get lost. */
interface Model {
  faulty: boolean;
}

/** Two processes on one hash, and all calls made so far. */
class Run {
  readonly history: History = emptyHistory();
  readonly calls: Promise<void>[] = [];
  readonly key: string;
  readonly redis: Redis;
  readonly source: ScriptedSource;
  readonly scheduler: Scheduler;
  readonly #generators: readonly Generator[];
  readonly #made = [0, 0];

  constructor(
    fixture: Fixture,
    source: ScriptedSource,
    scheduler: Scheduler,
    generators: readonly Generator[],
  ) {
    this.key = fixture.key;
    this.redis = fixture.client(url);
    this.source = source;
    this.scheduler = scheduler;
    this.#generators = generators;
  }

  ask(process: number, count: number, signal?: AbortSignal): void {
    const generator = this.#generators[process];
    if (generator === undefined) throw new Error(`no process ${process}`);
    this.#made[process] = (this.#made[process] ?? 0) + 1;
    const call = { process, call: this.#made[process], invoke: monotonicNow() };
    const settled = generator.nextBatch(count, signal ? { signal } : {}).then(
      (ids) => void this.history.records.push({ ...call, complete: monotonicNow(), ids }),
      (error: Error) =>
        void this.history.failures.push({
          ...call,
          complete: monotonicNow(),
          code: undefined,
          message: error.message,
        }),
    );
    this.calls.push(settled);
  }
}

type Step = AsyncCommand<Model, Run>;

const step = (text: string, run: (model: Model, real: Run) => unknown): Step => ({
  check: () => true,
  run: async (model, real) => void (await run(model, real)),
  toString: () => text,
});

const process = fc.nat(1);
/** `most`: the most ids that a call asks for. */
const stepsOf = (most: number) => [
  fc
    .tuple(process, fc.integer({ min: 1, max: most }))
    .map(([who, count]) => step(`process ${who} asks for ${count}`, (_model, run) => run.ask(who, count))),
  fc.constant(
    step('a segment arrives', (_model, run) =>
      run.scheduler.count() > 0 ? run.scheduler.waitOne() : undefined,
    ),
  ),
  fc.constant(step('Redis answers', (_model, run) => run.redis.ping())),
];
const leaseExpires = fc.constant(
  step('the refill lease expires', async (model, run) => {
    model.faulty = true;
    await injectFault(() => run.redis.hset(run.key, 'kx', 1));
  }),
);
const faults = [
  fc.constant(
    step('a caller gives up', (model, run) => {
      model.faulty = true;
      const controller = new AbortController();
      run.ask(0, 3, controller.signal);
      return injectFault(() => controller.abort());
    }),
  ),
  fc.constant(
    step('the hash is lost', async (model, run) => {
      model.faulty = true;
      await injectFault(() => run.redis.del(run.key));
    }),
  ),
  leaseExpires,
  fc.constant(
    step('the next answer of the database is lost', (model, run) => {
      model.faulty = true;
      return injectFault(() => {
        run.source.failing += 1;
      });
    }),
  ),
];

/** Plays the steps, lets all calls settle, and judges. */
async function play(scheduler: Scheduler, plan: Iterable<Step>, mutant?: Mutant) {
  await using fixture = new Fixture(uniqueName('play'), mutant);
  const source = new ScriptedSource(fixture.source, scheduler);
  const open = () => fixture.generator(url, { source, step: 10 });
  const run = new Run(fixture, source, scheduler, [await open(), await open()]);
  const model: Model = { faulty: false };
  await fc.asyncModelRun(() => ({ model, real: run }), plan);
  await scheduler.waitFor(Promise.all(run.calls));
  // What closing waits for.
  while (scheduler.count() > 0) await scheduler.waitOne();
  return { history: run.history, model, voids: fixture.voids };
}

describe('two processes whose segments arrive at any time and in any order', () => {
  faultTest(
    'give rising ids, none twice, first come first served, and lose none without a fault',
    async () => {
      const felt = { void: 0, failure: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.commands([...stepsOf(40), ...faults], { maxCommands: 40, size: 'max' }),
          async (s, plan) => {
            const { history, model, voids } = await play(s, plan);
            felt.void += voids.length;
            felt.failure += history.failures.length;
            const { messages } = checkHistory(history, {
              levels: ['unique', 'real-time', 'increasing', 'fifo'],
            });
            expect(messages).toEqual([]);
            if (model.faulty) return;
            expect(history.failures).toEqual([]);
            const ids = history.records.flatMap((record) => record.ids as number[]).sort((a, b) => a - b);
            expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => 1 + i));
          },
        ),
        { numRuns: 60 },
      );
      expect(felt).toEqual({ void: expect.toSatisfy(isSome), failure: expect.toSatisfy(isSome) });
    },
  );

  faultTest('would not without the high-water mark', async () => {
    const details = await fc.check(
      fc.asyncProperty(
        fc.scheduler(),
        fc.commands([...stepsOf(12), leaseExpires], { maxCommands: 60, size: 'max' }),
        async (s, plan) => {
          const { history } = await play(s, plan, MUTANTS.noHighWaterMark);
          return checkHistory(history, { levels: ['unique', 'real-time', 'fifo'] }).ok;
        },
      ),
      // Found within a thousand runs on average; without the fault it is in none.
      { numRuns: faultsOff ? 60 : 10_000, endOnFailure: true },
    );
    expect(details.failed).toBe(true);
  });
});

function isSome(count: number): boolean {
  return count > 0;
}
