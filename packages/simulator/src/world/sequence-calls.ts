import { emptyHistory, type History } from '@ids/conformance';
import type { Health, IdGenerator } from '@ids/core';
import type { RedisSegmentEvent } from '@ids/segment-redis-db';
import type { Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { HealthWatch } from './health-watch.js';
import type { StrategyName } from './strategies.js';

export interface SequenceCallsOptions {
  readonly name: string;
  readonly strategy: StrategyName;
  /** The process that calls. */
  readonly process: number;
  readonly who: string;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  /** Nanoseconds that rise with each reading. */
  readonly tick: () => number;
  /** Stands between the generator's health and who asks for it. */
  readonly wrapHealth: (ask: () => Health) => () => Health;
}

/** What one process asks of one sequence, and what became of it. */
export class SequenceCalls {
  readonly name: string;
  readonly strategy: StrategyName;
  /** What the generator told of itself. */
  readonly events: RedisSegmentEvent[] = [];
  readonly watch = new HealthWatch();
  readonly #options: SequenceCallsOptions;
  readonly #history = emptyHistory();
  readonly #pending = new Map<number, { readonly call: number; readonly invoke: number }>();
  #generator: IdGenerator<number> | undefined;
  #health: (() => Health) | undefined;
  #calls = 0;
  /** Ids of segments that came into memory, less those that were given. */
  #held = 0;

  constructor(options: SequenceCallsOptions) {
    this.#options = options;
    this.name = options.name;
    this.strategy = options.strategy;
  }

  get generator(): IdGenerator<number> | undefined {
    return this.#generator;
  }

  set generator(generator: IdGenerator<number>) {
    this.#generator = generator;
    this.#health = this.#options.wrapHealth(() => generator.health());
  }

  /** How many ids the process holds in memory, counted from outside. */
  get held(): number {
    return this.#held;
  }

  /** What was called so far; calls that are on are unsettled in it. */
  get history(): History {
    const { process } = this.#options;
    return {
      ...this.#history,
      unsettled: [...this.#pending.values()].map((pending) => ({ process, ...pending })),
    };
  }

  /** Whether its last refill succeeded. */
  get refilledLast(): boolean {
    return this.events.findLast(({ type }) => /^refill/.test(type))?.type === 'refill';
  }

  /** Undefined before there is a generator. */
  health(): Health | undefined {
    return this.#health?.();
  }

  /** Holds what the generator says of its health against its calls. */
  look(): void {
    const health = this.watch.waits ? this.health() : undefined;
    if (health !== undefined) this.watch.look(health, this.#options.scheduler.now);
  }

  heard(event: RedisSegmentEvent): void {
    this.events.push(event);
    if (this.strategy === 'inproc' && event.type === 'refill') {
      this.#held += event.segment.high - event.segment.low + 1;
    }
  }

  /** One call, in the history. Resolves with its ids; undefined when it failed. */
  async call(count: number, signal: AbortSignal | undefined): Promise<readonly number[] | undefined> {
    const { tick, trace, process, who, scheduler } = this.#options;
    const { generator, name } = this;
    if (generator === undefined) return undefined;
    const call = ++this.#calls;
    const invoke = tick();
    const common = { process, call, invoke };
    this.#pending.set(invoke, { call, invoke });
    this.watch.asked(scheduler.now);
    const options = signal === undefined ? {} : { signal };
    try {
      const ids = count === 1 ? [await generator.next(options)] : await generator.nextBatch(count, options);
      this.#history.records.push({ ...common, complete: tick(), ids });
      this.#held -= ids.length;
      this.watch.served(scheduler.now);
      trace.add(who, `${name} call ${call} got ${ranges(ids)}`);
      return ids;
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      this.#history.failures.push({ ...common, complete: tick(), code, message });
      this.watch.failed(scheduler.now, { byCaller: signal?.aborted === true });
      trace.add(who, `${name} call ${call} failed: ${code} ${message}`);
      return undefined;
    } finally {
      this.#pending.delete(invoke);
    }
  }
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
