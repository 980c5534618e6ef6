import { emptyHistory, type History } from '@ids/conformance';
import type { Health, IdGenerator } from '@ids/core';
import type { SegmentRedisDbEvent } from '@ids/segment-redis-db';
import type { Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import type { StrategyName } from './plan.js';

export interface SequenceCallsOptions {
  readonly name: string;
  readonly strategy: StrategyName;
  /** The process that calls. */
  readonly process: number;
  readonly who: string;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  /** Nanoseconds that increase with each reading. */
  readonly tick: () => number;
  /** Wraps the health of the generator. */
  readonly wrapHealth: (ask: () => Health) => () => Health;
}

/** The calls of one process for one sequence, and their outcomes. */
export class SequenceCalls {
  readonly name: string;
  readonly strategy: StrategyName;
  /** The events of the generator. */
  readonly events: SegmentRedisDbEvent[] = [];
  readonly watch = new HealthWatch();
  readonly #options: SequenceCallsOptions;
  readonly #history = emptyHistory();
  readonly #pending = new Map<number, { readonly call: number; readonly invoke: number }>();
  #generator: IdGenerator<number> | undefined;
  #health: (() => Health) | undefined;
  #calls = 0;
  /** Ids of segments that arrived in memory, minus those that were issued. */
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

  /** How many ids the process holds in memory, as counted from outside; none unless it holds segments. */
  get held(): number {
    return this.strategy === 'inproc' ? this.#held : 0;
  }

  /** The calls so far; pending calls are unsettled in it. */
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

  /** Compares the health of the generator with its calls. */
  checkHealth(): void {
    const health = this.watch.waits ? this.health() : undefined;
    if (health !== undefined) this.watch.check(health, this.#options.scheduler.now);
  }

  onEvent(event: SegmentRedisDbEvent): void {
    this.events.push(event);
    if (event.type === 'refill') {
      this.#held += event.segment.high - event.segment.low + 1;
    }
  }

  /** Makes one call and records it. Resolves with its ids, or undefined if it failed. */
  async call(count: number, signal: AbortSignal | undefined): Promise<readonly number[] | undefined> {
    const { tick, trace, process, who, scheduler } = this.#options;
    const { generator, name } = this;
    if (generator === undefined) return undefined;
    const call = ++this.#calls;
    const invoke = tick();
    const common = { process, call, invoke };
    this.#pending.set(invoke, { call, invoke });
    this.watch.started(scheduler.now);
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

/**
 * After this many milliseconds without ids, a generator that reports to be well is lying. It must report the
 * problem after a second; timers may be late, and it is asked every 150 ms.
 */
const NOTICED_MS = 1_300;
/** A call this soon after a failure counts as uninterrupted waiting, in milliseconds. */
const BREAK_MS = 500;

/**
 * Compares `health()` of one generator with the outcome of its calls. Times are in milliseconds of the run.
 */
class HealthWatch {
  /** The first lie. */
  lie: string | undefined;
  #waiting = 0;
  /** Since when callers have continuously waited or failed without an id and without a report. */
  #since: number | undefined;
  #failedAt = 0;

  /** Whether there are waiting calls to compare with. */
  get waits(): boolean {
    return this.#waiting > 0;
  }

  started(nowMs: number): void {
    if (this.#waiting === 0 && nowMs - this.#failedAt > BREAK_MS) this.#since = nowMs;
    this.#since ??= nowMs;
    this.#waiting++;
  }

  served(nowMs: number): void {
    this.#waiting--;
    this.#since = this.#waiting > 0 ? nowMs : undefined;
  }

  /** A call ended without ids. If its caller gave up, perhaps nobody is waiting any more. */
  failed(nowMs: number, { byCaller }: { readonly byCaller: boolean }): void {
    this.#waiting--;
    this.#failedAt = nowMs;
    if (byCaller && this.#waiting === 0) this.#since = undefined;
  }

  check({ status }: Health, nowMs: number): void {
    if (this.#waiting === 0 || this.#since === undefined) return;
    // After a report, the next one may take as long again: a backend that answers in between is well until it
    // fails again.
    if (status === 'degraded' || status === 'down') this.#since = nowMs;
    const ms = nowMs - this.#since;
    if (ms > NOTICED_MS && status !== 'closed') {
      this.lie ??= `says ${status} at ${nowMs.toFixed(0)}, where no id has come for ${ms.toFixed(0)} ms`;
    }
  }
}
