import { emptyHistory, type History } from '@ids/conformance';
import type { IdGenerator } from '@ids/core';
import type { SegmentSource } from '@ids/segment';
import { createSegmentGenerator } from '@ids/segment-inproc';
import { createRedisSegmentGenerator, type RedisLike, type RedisSegmentEvent } from '@ids/segment-redis-db';
import { Random } from '../random.js';
import { keyOf } from '../redis/key-slot.js';
import type { ProcessClient } from '../redis/process-client.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { type Marks, noteMarks } from './heard-marks.js';
import type { Plan } from './plan.js';
import { type StrategyName, strategyOf } from './strategies.js';

export interface SimProcessParts {
  readonly number: number;
  readonly owner: Owner;
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly client: ProcessClient;
  /** What the generators get in the place of `client`, which it calls. */
  readonly redis: RedisLike;
  readonly source: SegmentSource;
  /** Nanoseconds that rise with each reading. */
  readonly tick: () => number;
}

interface Sequence {
  readonly name: string;
  readonly strategy: StrategyName;
  readonly history: History;
  readonly events: RedisSegmentEvent[];
  generator: IdGenerator<number> | undefined;
  calls: number;
}

/** A process of the service: generators of the product, and callers who want ids of them. */
export class SimProcess {
  readonly owner: Owner;
  readonly client: ProcessClient;
  /** Whether it was ever paused: then nothing is required of its times. */
  paused = false;
  readonly #parts: SimProcessParts;
  readonly #random: Random;
  readonly #sequences: readonly Sequence[];
  readonly #pending = new Map<
    number,
    { readonly sequence: Sequence; readonly call: number; readonly invoke: number }
  >();
  readonly #marks = new Map<string, Marks>();
  #stopping = false;
  #closed = false;

  constructor(parts: SimProcessParts) {
    this.#parts = parts;
    this.owner = parts.owner;
    this.client = parts.client;
    this.#random = new Random(parts.plan.seed, `process ${parts.number}`);
    this.#sequences = parts.plan.sequences.map((name) => ({
      name,
      strategy: this.strategyFor(name),
      history: emptyHistory(),
      events: [],
      generator: undefined,
      calls: 0,
    }));
  }

  get number(): number {
    return this.#parts.number;
  }

  get alive(): boolean {
    return !this.owner.dead && !this.#closed;
  }

  /** Whether it takes ids of a sequence from Redis, or from segments of its own. */
  strategyFor(name: string): StrategyName {
    const { plan } = this.#parts;
    return strategyOf(plan.seed, name, plan.uses.get(name) ?? 'redis', this.number);
  }

  /** What it has told Redis that it remembers; nothing before its first take. */
  marksOf(name: string): Marks {
    return this.#marks.get(keyOf(name)) ?? { last: -1, top: -1 };
  }

  /** What it did with one sequence so far; calls that are on are unsettled in it. */
  history(name: string): History {
    const sequence = this.#sequences.find((one) => one.name === name);
    if (sequence === undefined) return emptyHistory();
    const unsettled = [...this.#pending.values()]
      .filter((pending) => pending.sequence === sequence)
      .map(({ call, invoke }) => ({ process: this.number, call, invoke }));
    return { ...sequence.history, unsettled };
  }

  /** What its generator of a sequence told of itself. */
  events(name: string): readonly RedisSegmentEvent[] {
    return this.#sequences.find((one) => one.name === name)?.events ?? [];
  }

  start(): void {
    this.#inside(() => {
      for (const sequence of this.#sequences) void this.#serve(sequence);
    });
  }

  /** No new calls from now on. */
  stop(): void {
    this.#stopping = true;
  }

  /** Closes the generators; resolves in the process. */
  close(): void {
    this.#stopping = true;
    this.#closed = true;
    this.#inside(() => {
      for (const { generator } of this.#sequences) void generator?.close();
    });
  }

  /** One more call of each generator, when nothing is wrong any more; `done` hears what is wrong nevertheless. */
  probe(done: (problem: string | undefined) => void): void {
    this.#inside(() => {
      for (const sequence of this.#sequences) void this.#probe(sequence).then(done);
    });
  }

  async #probe(sequence: Sequence): Promise<string | undefined> {
    const who = `process ${this.number}, sequence ${sequence.name}`;
    if (sequence.generator === undefined) return `${who}: could not start although nothing is wrong`;
    const ids = await this.#call(sequence, 1, { patient: true });
    if (ids === undefined) return `${who}: no id although nothing is wrong`;
    // Not yet required: `ok`. A refill that failed is reported until this very process refills, even when others have since.
    return sequence.generator.health().status === 'closed' ? `${who}: is closed` : undefined;
  }

  #inside(run: () => void): void {
    const { scheduler } = this.#parts;
    scheduler.schedule(scheduler.now, this.owner, run);
  }

  async #serve(sequence: Sequence): Promise<void> {
    const { trace, plan } = this.#parts;
    while (sequence.generator === undefined && !this.#closed) {
      try {
        sequence.generator = await this.#open(sequence);
      } catch (error) {
        trace.add(this.owner.name, `cannot start: ${error instanceof Error ? error.message : String(error)}`);
        await sleep(50);
      }
    }
    if (this.#closed) await sequence.generator?.close();
    for (let i = 0; i < plan.demand.callers; i++) void this.#caller(sequence);
  }

  #open({ name, strategy, events }: Sequence): Promise<IdGenerator<number>> {
    const { source, plan } = this.#parts;
    const redis = noteMarks(this.#parts.redis, (key, marks) => this.#marks.set(key, marks));
    const onEvent = (event: RedisSegmentEvent): void => {
      events.push(event);
    };
    const { minStep, maxStep, deadlineMs } = plan.options;
    return strategy === 'inproc'
      ? createSegmentGenerator({ name, source, minStep, maxStep, deadlineMs, onEvent })
      : createRedisSegmentGenerator({
          name,
          redis,
          source,
          owner: this.owner.name,
          ...plan.options,
          onEvent,
        });
  }

  async #caller(sequence: Sequence): Promise<void> {
    const { demand } = this.#parts.plan;
    while (!this.#stopping) {
      await sleep(this.#random.next() * 2 * demand.thinkMs);
      if (this.#stopping) return;
      const count = this.#random.chance(demand.batches) ? this.#random.between(1, demand.largestBatch) : 1;
      const call = this.#call(sequence, count);
      if (!this.#random.chance(demand.bursts)) await call;
    }
  }

  /** One call, in the history. Resolves with its ids; undefined when it failed. */
  async #call(
    sequence: Sequence,
    count: number,
    { patient = false } = {},
  ): Promise<readonly number[] | undefined> {
    const { tick, trace, plan } = this.#parts;
    const { generator, history, name } = sequence;
    if (generator === undefined) return undefined;
    const signal = !patient && this.#random.chance(plan.demand.aborts) ? this.#abortSoon() : undefined;
    const call = ++sequence.calls;
    const invoke = tick();
    const common = { process: this.number, call, invoke };
    this.#pending.set(invoke, { sequence, call, invoke });
    const options = signal === undefined ? {} : { signal };
    try {
      const ids = count === 1 ? [await generator.next(options)] : await generator.nextBatch(count, options);
      history.records.push({ ...common, complete: tick(), ids });
      trace.add(this.owner.name, `${name} call ${call} got ${ranges(ids)}`);
      return ids;
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      history.failures.push({ ...common, complete: tick(), code, message });
      trace.add(this.owner.name, `${name} call ${call} failed: ${code} ${message}`);
      return undefined;
    } finally {
      this.#pending.delete(invoke);
    }
  }

  #abortSoon(): AbortSignal {
    const controller = new AbortController();
    setTimeout(
      () => controller.abort(new DOMException('the caller gave up', 'AbortError')),
      this.#random.between(1, 100),
    );
    return controller.signal;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** `5..9 12`: ids as ranges of consecutive ones. */
function ranges(ids: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < ids.length; i++) {
    const low = ids[i] ?? 0;
    while (i + 1 < ids.length && ids[i + 1] === (ids[i] ?? 0) + 1) i++;
    parts.push(ids[i] === low ? String(low) : `${low}..${ids[i]}`);
  }
  return parts.join(' ');
}
