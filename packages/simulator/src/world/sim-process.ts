import type { Health, IdGenerator } from '@ids/core';
import type { SegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import {
  createSegmentRedisDbGenerator,
  type RedisLike,
  type SegmentRedisDbEvent,
} from '@ids/segment-redis-db';
import type { IdServers } from '../http/id-servers.js';
import { issuedIds } from '../http/served-sequences.js';
import { Random } from '../random.js';
import { COPY_PREFIX, keyOf } from '../redis/keyspace.js';
import type { ProcessClient } from '../redis/process-client.js';
import { watchScripts } from '../redis/watch-scripts.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { type AllWraps, NO_ID, type WorldProcess } from './base-world.js';
import { type Plan, type StrategyName, sequencesOf, strategyOf } from './plan.js';
import { SequenceCalls } from './sequence-calls.js';
import { isReinstated } from './special-plan.js';

export interface SimProcessParts {
  readonly number: number;
  readonly owner: Owner;
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly client: ProcessClient;
  /** The client that the generators get, a wrapper of `client`. */
  readonly redis: RedisLike;
  readonly source: SegmentSource;
  /** Undefined if the process reaches the table itself. */
  readonly servers: IdServers | undefined;
  /** Nanoseconds that increase with each reading. */
  readonly tick: () => number;
  /** Changes the options of the generators. */
  readonly changeOptions: AllWraps['changeOptions'];
  readonly wrapHealth: (ask: () => Health) => () => Health;
}

/** How often the health of the generators is checked, in milliseconds. */
const HEALTH_EVERY_MS = 150;
/**
 * How many milliseconds after a successful call a generator must have recovered: it makes an attempt within a
 * second.
 */
const HEALED_MS = 1_500;

/**
 * How long a former primary is refused where some answer for longer, since runs are short; and elsewhere: for
 * the whole run, but not for all of the recovery.
 */
const REFUSE_MS = { short: 200, long: 5_000 };

/** A process of the service: real generators, and callers who request ids from them. */
export class SimProcess implements WorldProcess {
  readonly owner: Owner;
  readonly client: ProcessClient;
  /** Whether it was ever paused: then its times are not checked. */
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

  /** Whether it takes ids of a sequence from Redis, from its own segments, or from one per burst. */
  strategyFor(name: string): StrategyName {
    const { plan } = this.#parts;
    return strategyOf(plan, name, this.number);
  }

  /** What it last told Redis that it remembers; -1 before its first take. */
  marksOf(name: string): Marks {
    return this.#marks.get(keyOf(name)) ?? { last: -1, top: -1 };
  }

  /** The least `last` that it has sent to Redis, or that a command carries which may yet be executed. */
  lastInTransit(name: string): number {
    const key = keyOf(name);
    const sent = this.client.inTransit.filter((command) => command[KEY] === key);
    return Math.min(this.marksOf(name).last, ...sent.map(lastOf));
  }

  /** One for each generator. */
  get probes(): number {
    return this.#sequences.size;
  }

  /** Its calls for one sequence. */
  calls(name: string): SequenceCalls | undefined {
    return this.#sequences.get(name);
  }

  start(): void {
    this.#inside(() => {
      for (const sequence of this.#sequences.values()) void this.#serve(sequence);
    });
    this.#watchHealth();
  }

  /** Makes no new calls from now on. */
  stop(): void {
    this.#stopping = true;
  }

  /** Closes the generators, as an event of the process. */
  close(): void {
    this.#stopping = true;
    this.#closed = true;
    this.#inside(() => {
      for (const { generator } of this.#sequences.values()) void generator?.close();
    });
  }

  /** Probes each generator after all faults have ended; calls `done` with a problem, if any. */
  probe(done: (problem: string | undefined) => void): void {
    this.#inside(() => {
      for (const sequence of this.#sequences.values()) void this.#probe(sequence).then(done);
    });
  }

  async #probe(sequence: SequenceCalls): Promise<string | undefined> {
    const who = `process ${this.number}, sequence ${sequence.name}`;
    if (sequence.generator === undefined) return `${who}: could not start although nothing is wrong`;
    const ask = () => this.#call(sequence, 1, { patient: true });
    if ((await ask()) === undefined) return `${who}: ${NO_ID}`;
    await sleep(HEALED_MS);
    if ((await ask()) === undefined) return `${who}: no second id although nothing is wrong`;
    const health = sequence.health();
    if (health === undefined || health.status === 'closed') return `${who}: is closed`;
    // Ids that arrived and were not issued must be in memory: nothing is skipped while a process runs.
    if (sequence.strategy === 'inproc' && health.remaining !== sequence.held) {
      return `${who}: ${health.remaining} ids are in memory, ${sequence.held} should be`;
    }
    const isStale = health.status === 'degraded' && sequence.refilledLast;
    if (health.status !== 'down' && !isStale) return undefined;
    return `${who}: says ${health.status} although nothing is wrong: ${health.lastError?.message}`;
  }

  #watchHealth(): void {
    const { scheduler } = this.#parts;
    const checkHealth = (): void => {
      // A process that was paused cannot have noticed anything.
      if (!this.alive || this.paused) return;
      for (const sequence of this.#sequences.values()) sequence.checkHealth();
      this.#watchHealth();
    };
    scheduler.schedule(scheduler.now + HEALTH_EVERY_MS, this.owner, checkHealth, true);
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
    const { source, servers, plan, changeOptions } = this.#parts;
    const { name, strategy } = sequence;
    const redis = watchScripts(this.#parts.redis, ([key = ''], args) => {
      if (args.length !== TAKE.length) return;
      this.#marks.set(key, { last: Number(args[TAKE.last]), top: Number(args[TAKE.top]) });
    });
    const onEvent = (event: SegmentRedisDbEvent): void => sequence.onEvent(event);
    const options = changeOptions(plan.options);
    const { minStep, maxStep, maxIdsLost, deadlineMs } = options;
    const isShort = plan.special === 'deposed' && isReinstated(plan);
    const refuseFormerPrimaryMs = isShort ? REFUSE_MS.short : REFUSE_MS.long;
    const segments = { name, source, maxStep, maxIdsLost, deadlineMs, refuseFormerPrimaryMs, onEvent };
    if (strategy === 'ordered' && servers !== undefined) {
      return issuedIds(servers, this.owner, name, deadlineMs);
    }
    if (strategy === 'ordered') return createSegmentInprocGenerator({ ...segments, order: 'real-time' });
    return strategy === 'inproc'
      ? createSegmentInprocGenerator({ ...segments, minStep })
      : createSegmentRedisDbGenerator({
          ...options,
          refuseFormerPrimaryMs,
          ...(strategy === 'redis aside' && { keyPrefix: COPY_PREFIX }),
          name,
          redis,
          source,
          owner: this.owner.name,
          onEvent,
        });
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
    // Without a generator there is no call.
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

/** What a process remembers and sends with each take. */
export interface Marks {
  /** The greatest id that it ever received. */
  readonly last: number;
  /** The greatest upper bound of a segment that it ever heard of. */
  readonly top: number;
}

/** The arguments of a take: how many there are, and which ones are marks. */
const TAKE = { length: 12, last: 6, top: 7 };

/** The place of the key in a command that runs a script; its arguments follow. */
const KEY = 3;

/** The greatest id that a command tells Redis of. */
function lastOf(command: readonly string[]): number {
  const args = command.slice(KEY + 1);
  return args.length === TAKE.length ? Number(args[TAKE.last]) : -1;
}
