import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { type Guarantees, type Id, IdError } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import type { SnowflakeGenerator } from './generator.js';
import { HeldWindows, type MonotonicClock, type NanosecondClock, type Window } from './held-windows.js';
import type { IdFormat } from './id-format.js';
import { endOfTime, type Layout, layoutText } from './layout.js';
import { REACH_MS } from './windows.js';

export interface FixedWorkerOptions<T extends Id> {
  readonly strategy: string;
  readonly worker: number;
  readonly layout: Layout;
  readonly format: IdFormat<T>;
  readonly guarantees: Guarantees;
  /** The clock that is read for each id. */
  readonly idClock: NanosecondClock;
  readonly clock: MonotonicClock;
}

/**
 * A generator without a database: all generators and threads of this process share the time of its worker.
 */
export function fixedWorkerGenerator<T extends Id>(options: FixedWorkerOptions<T>): SnowflakeGenerator<T> {
  const { strategy, guarantees, format } = options;
  const issuer = new FixedWorkerIssuer(options);
  const generator = memoryGenerator<T>({
    strategy,
    guarantees,
    issue: () => format.id(issuer.take()),
    issueBatch: (count) => Array.from({ length: count }, () => format.id(issuer.take())),
  });
  const counters = () => ({ ...NO_REFILLS, idsIssued: issuer.taken });
  return Object.assign(generator, { counters });
}

const NO_REFILLS = {
  refills: 0,
  refillSeconds: 0,
  refillFailures: 0,
  regressions: 0,
  waits: 0,
  waitSeconds: 0,
  notReady: 0,
} as const;

/** How much time an issuer takes at once, in milliseconds: little, because others may share the worker. */
const SPAN_MS = 50;

class FixedWorkerIssuer<T extends Id> {
  readonly #options: FixedWorkerOptions<T>;
  readonly #time: ProcessTime;
  readonly #held: HeldWindows;
  /**
   * What must be added to the monotonic clock to get the time. It only grows: a system clock that is set
   * back is not followed, one that is set forward is.
   */
  #offset = Number.NEGATIVE_INFINITY;

  constructor(options: FixedWorkerOptions<T>) {
    const { layout, format, worker } = options;
    this.#options = options;
    this.#time = processTime(layout, worker);
    this.#held = new HeldWindows(layout, (stamp, slot) => format.begin(stamp, slot));
  }

  get taken(): number {
    return this.#held.taken;
  }

  take(): number {
    const sequence = this.#held.tryTake(this.#options.idClock());
    return sequence < 0 ? this.#takeFromNext() : sequence;
  }

  #takeFromNext(): number {
    const { clock, layout, worker } = this.#options;
    for (;;) {
      const askedAt = clock();
      this.#offset = Math.max(this.#offset, Date.now() - askedAt);
      const now = Math.floor(askedAt + this.#offset);
      const from = this.#time.reserve(now, Math.max(SPAN_MS, layout.unitMs), layout.unitMs);
      const until = from + Math.max(SPAN_MS, layout.unitMs);
      this.#assertUsable({ slot: worker, from, until });
      this.#held.add({ slot: worker, from, until }, now, askedAt);
      if (this.#held.advance(askedAt)) return this.#held.takeRun(1);
    }
  }

  #assertUsable({ from, until }: Window): void {
    const { strategy, layout, worker } = this.#options;
    const problem =
      from < layout.epoch
        ? (['ERR_IDS_CLOCK', `the clock shows ${new Date(from).toISOString()}, before the epoch`] as const)
        : until > endOfTime(layout)
          ? ([
              'ERR_IDS_EXHAUSTED',
              `the layout ends at ${new Date(endOfTime(layout)).toISOString()}`,
            ] as const)
          : undefined;
    if (problem !== undefined) throw new IdError(problem[0], `${strategy}: worker ${worker}: ${problem[1]}`);
  }
}

/** The time of one worker that is taken already, shared by all threads of the process. */
class ProcessTime {
  readonly #cell: BigInt64Array;
  readonly #worker: number;

  constructor(buffer: SharedArrayBuffer, worker: number) {
    this.#cell = new BigInt64Array(buffer);
    this.#worker = worker;
  }

  /**
   * Takes `span` milliseconds from `now` or later on; returns their start, a multiple of `unit`. Throws
   * `ERR_IDS_EXHAUSTED` if that is too far ahead of `now`.
   */
  reserve(now: number, span: number, unit: number): number {
    for (;;) {
      const taken = Atomics.load(this.#cell, 0);
      const from = Math.ceil(Math.max(Number(taken), now) / unit) * unit;
      if (from > now + REACH_MS) {
        throw new IdError(
          'ERR_IDS_EXHAUSTED',
          `snowflake: worker ${this.#worker}: the next id is over ${REACH_MS} ms ahead of the clock: the layout has no more ids now`,
        );
      }
      if (Atomics.compareExchange(this.#cell, 0, taken, BigInt(from + span)) === taken) return from;
    }
  }
}

/**
 * The main thread makes the cell of a worker; worker threads that are started later inherit it. One that was
 * started earlier cannot get it, and would count beside the others: it is refused.
 */
function processTime(layout: Layout, worker: number): ProcessTime {
  const key = `@ids/snowflake/1/${layoutText(layout)}/${worker}`;
  const inherited = getEnvironmentData(key);
  if (inherited !== undefined) return new ProcessTime(inherited as unknown as SharedArrayBuffer, worker);
  if (!isMainThread) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `snowflake: worker ${worker} cannot be used in this worker thread: the main thread must create a generator ` +
        'with it before it starts the thread, so that both share its time',
    );
  }
  const buffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  setEnvironmentData(key, buffer as unknown as NodeJS.Dict<string>);
  return new ProcessTime(buffer, worker);
}
