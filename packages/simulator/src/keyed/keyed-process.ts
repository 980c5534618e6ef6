import type { KeyedIdGenerator } from '@ids/core';
import type { Random } from '../random.js';
import type { ProcessClient } from '../redis/process-client.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { NO_ID, type WorldProcess } from '../world/base-world.js';
import { SequenceCalls } from '../world/sequence-calls.js';
import type { KeyedPlan } from './keyed-plan.js';

export interface KeyedProcessParts {
  readonly number: number;
  readonly owner: Owner;
  readonly client: ProcessClient;
  readonly plan: KeyedPlan;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly random: Random;
  readonly open: () => Promise<KeyedIdGenerator<number>>;
  /** Nanoseconds that increase with each reading. */
  readonly tick: () => number;
}

/** A process of the service: a real generator of one family, and callers who request ids of its keys. */
export class KeyedProcess implements WorldProcess {
  readonly owner: Owner;
  readonly client: ProcessClient;
  paused = false;
  readonly #parts: KeyedProcessParts;
  readonly #sequences: ReadonlyMap<string, SequenceCalls>;
  #generator: KeyedIdGenerator<number> | undefined;
  #stopping = false;
  #closed = false;

  constructor(parts: KeyedProcessParts) {
    this.#parts = parts;
    this.owner = parts.owner;
    this.client = parts.client;
    const { number: process, plan, scheduler, trace, tick } = parts;
    const common = { process, who: parts.owner.name, scheduler, trace, tick };
    const strategy = plan.redis === undefined ? 'ordered' : 'redis';
    this.#sequences = new Map(
      plan.keys.map((name) => [
        name,
        new SequenceCalls({ ...common, name, strategy, wrapHealth: (ask) => ask }),
      ]),
    );
  }

  get alive(): boolean {
    return !this.owner.dead && !this.#closed;
  }

  get number(): number {
    return this.#parts.number;
  }

  /** One for each key. */
  get probes(): number {
    return this.#sequences.size;
  }

  /** Its calls for one key. */
  calls(key: string): SequenceCalls | undefined {
    return this.#sequences.get(key);
  }

  start(): void {
    this.#inside(() => void this.#serve());
  }

  stop(): void {
    this.#stopping = true;
  }

  close(): void {
    this.#stopping = true;
    this.#closed = true;
    this.#inside(() => void this.#generator?.close());
  }

  /** One key after the other: all at once may be more than connections that wait for replicas can do. */
  probe(done: (problem: string | undefined) => void): void {
    this.#inside(() => void this.#probe(done));
  }

  async #probe(done: (problem: string | undefined) => void): Promise<void> {
    for (const sequence of this.#sequences.values()) {
      const problem = `${this.owner.name}, key ${sequence.name}: ${NO_ID}`;
      done((await sequence.call(1, undefined)) ? undefined : problem);
    }
  }

  #inside(run: () => void): void {
    const { scheduler } = this.#parts;
    scheduler.schedule(scheduler.now, this.owner, run);
  }

  async #serve(): Promise<void> {
    const { plan, open, trace } = this.#parts;
    while (this.#generator === undefined && !this.#closed) {
      try {
        this.#generator = await open();
      } catch (error) {
        trace.add(this.owner.name, `cannot start: ${String(error)}`);
        await sleep(50);
      }
    }
    const generator = this.#generator;
    if (generator === undefined) return;
    if (this.#closed) await generator.close();
    for (const [key, sequence] of this.#sequences) sequence.generator = generator.of(key);
    for (let i = 0; i < plan.callers; i++) void this.#caller();
  }

  async #caller(): Promise<void> {
    const { plan, random, scheduler } = this.#parts;
    const { rest, batches, largestBatch, aborts, keys } = plan;
    while (!this.#stopping) {
      await sleep(random.next() * 2 * plan.thinkMs);
      if (rest !== undefined && scheduler.now >= rest.atMs && scheduler.now < rest.atMs + rest.ms) {
        await sleep(rest.ms);
      }
      if (this.#stopping) return;
      // The first ones are used most.
      const key = keys[Math.floor(random.next() ** 2 * keys.length)] ?? '';
      const isBatch = largestBatch > 1 && random.chance(batches);
      const count = isBatch ? random.between(2, largestBatch) : 1;
      const controller = new AbortController();
      if (random.chance(aborts)) {
        setTimeout(() => controller.abort(new DOMException('given up', 'AbortError')), random.between(1, 60));
      }
      await this.calls(key)?.call(count, controller.signal);
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
