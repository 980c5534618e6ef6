import type { Health, IdGenerator } from '@ids/core';
import type { SegmentSource } from '@ids/segment';
import { createSegmentGenerator } from '@ids/segment-inproc';
import { createRedisSegmentGenerator, type RedisLike, type RedisSegmentEvent } from '@ids/segment-redis-db';
import { Random } from '../random.js';
import { keyOf } from '../redis/key-slot.js';
import type { ProcessClient } from '../redis/process-client.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { type Marks, noteMarks } from './heard-marks.js';
import { type Plan, sequencesOf } from './plan.js';
import { SequenceCalls } from './sequence-calls.js';
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
  /** What stands between the generators and who opens and asks them. */
  readonly changeOptions: (options: Plan['options']) => Plan['options'];
  readonly wrapHealth: (ask: () => Health) => () => Health;
}

/** How often the health of the generators is asked for, in milliseconds. */
const HEALTH_EVERY_MS = 150;
/**
 * Milliseconds within which a generator must have recovered once a call succeeds again: an attempt
 * follows within a second.
 */
const HEALED_MS = 1_500;

/** A process of the service: generators of the product, and callers who want ids of them. */
export class SimProcess {
  readonly owner: Owner;
  readonly client: ProcessClient;
  /** Whether it was ever paused: then nothing is required of its times. */
  paused = false;
  readonly #parts: SimProcessParts;
  readonly #random: Random;
  readonly #sequences: ReadonlyMap<string, SequenceCalls>;
  readonly #marks = new Map<string, Marks>();
  #stopping = false;
  #closed = false;

  constructor(parts: SimProcessParts) {
    this.#parts = parts;
    this.owner = parts.owner;
    this.client = parts.client;
    this.#random = new Random(parts.plan.seed, `process ${parts.number}`);
    const { number, plan, scheduler, trace, tick, wrapHealth } = parts;
    const common = { process: number, who: parts.owner.name, scheduler, trace, tick, wrapHealth };
    this.#sequences = new Map(
      sequencesOf(plan, number).map((name) => [
        name,
        new SequenceCalls({ ...common, name, strategy: this.strategyFor(name) }),
      ]),
    );
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

  /** How many generators it has. */
  get generators(): number {
    return this.#sequences.size;
  }

  /** What it did with one sequence so far. */
  calls(name: string): SequenceCalls | undefined {
    return this.#sequences.get(name);
  }

  start(): void {
    this.#inside(() => {
      for (const sequence of this.#sequences.values()) void this.#serve(sequence);
    });
    this.#watchHealth();
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
      for (const { generator } of this.#sequences.values()) void generator?.close();
    });
  }

  /**
   * One more call of each generator, when nothing is wrong any more; `done` hears what is wrong nevertheless.
   */
  probe(done: (problem: string | undefined) => void): void {
    this.#inside(() => {
      for (const sequence of this.#sequences.values()) void this.#probe(sequence).then(done);
    });
  }

  async #probe(sequence: SequenceCalls): Promise<string | undefined> {
    const who = `process ${this.number}, sequence ${sequence.name}`;
    if (sequence.generator === undefined) return `${who}: could not start although nothing is wrong`;
    const ask = () => this.#call(sequence, 1, { patient: true });
    if ((await ask()) === undefined) return `${who}: no id although nothing is wrong`;
    await sleep(HEALED_MS);
    if ((await ask()) === undefined) return `${who}: no second id although nothing is wrong`;
    const health = sequence.health();
    if (health === undefined || health.status === 'closed') return `${who}: is closed`;
    // What came and was not given must be there: nothing is left out while a process runs.
    if (sequence.strategy === 'inproc' && health.remaining !== sequence.held) {
      return `${who}: ${health.remaining} ids are in memory, ${sequence.held} should be`;
    }
    const isStale = health.status === 'degraded' && sequence.refilledLast;
    if (health.status !== 'down' && !isStale) return undefined;
    return `${who}: says ${health.status} although nothing is wrong: ${health.lastError?.message}`;
  }

  #watchHealth(): void {
    const { scheduler } = this.#parts;
    const look = (): void => {
      // Whoever stood still cannot have noticed anything.
      if (!this.alive || this.paused) return;
      for (const sequence of this.#sequences.values()) sequence.look();
      this.#watchHealth();
    };
    scheduler.schedule(scheduler.now + HEALTH_EVERY_MS, this.owner, look, true);
  }

  #inside(run: () => void): void {
    const { scheduler } = this.#parts;
    scheduler.schedule(scheduler.now, this.owner, run);
  }

  async #serve(sequence: SequenceCalls): Promise<void> {
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

  #open(sequence: SequenceCalls): Promise<IdGenerator<number>> {
    const { source, plan, changeOptions } = this.#parts;
    const { name, strategy } = sequence;
    const redis = noteMarks(this.#parts.redis, (key, marks) => this.#marks.set(key, marks));
    const onEvent = (event: RedisSegmentEvent): void => sequence.heard(event);
    const options = changeOptions(plan.options);
    const { minStep, maxStep, maxIdsLost, deadlineMs } = options;
    return strategy === 'inproc'
      ? createSegmentGenerator({ name, source, minStep, maxStep, maxIdsLost, deadlineMs, onEvent })
      : createRedisSegmentGenerator({ name, redis, source, owner: this.owner.name, ...options, onEvent });
  }

  async #caller(sequence: SequenceCalls): Promise<void> {
    const { demand } = this.#parts.plan;
    while (!this.#stopping) {
      await sleep(this.#random.next() * 2 * demand.thinkMs);
      if (this.#stopping) return;
      const count = this.#random.chance(demand.batches) ? this.#random.between(1, demand.largestBatch) : 1;
      const call = this.#call(sequence, count);
      if (!this.#random.chance(demand.bursts)) await call;
    }
  }

  #call(
    sequence: SequenceCalls,
    count: number,
    { patient = false } = {},
  ): Promise<readonly number[] | undefined> {
    const { aborts } = this.#parts.plan.demand;
    // A call of a generator that is not there is none.
    const gone = sequence.generator === undefined;
    const signal = !gone && !patient && this.#random.chance(aborts) ? this.#abortSoon() : undefined;
    return sequence.call(count, signal);
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
