import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { IdError } from '@ids/core';
import { endOfTime, idsPerSecond, isoOf, type Layout, layoutText, sequenceSize } from '../ids/layout.js';
import type { MonotonicClock } from '../windows/held-windows.js';

/**
 * A fixed worker stamps ids less than this ahead of the system's clock, in milliseconds, however fast they
 * are requested and however that clock jumps. So a process that begins this far ahead of its clock at the
 * start begins above everything that earlier processes stamped, which it cannot know otherwise.
 */
export const WORKER_AHEAD_MS = 1_000;

/**
 * Places that belong to one generator, from `start` up to, but not including, `end`. A place is a stamp and a
 * number of its sequence: the stamp in units since the epoch, times the numbers of a sequence, plus the
 * number.
 */
export interface Lease {
  readonly start: number;
  readonly end: number;
}

/** Why there is no id at this moment. */
export interface Shortage {
  readonly error: IdError;
  /** In how many milliseconds there may be one; undefined if waiting does not help. */
  readonly againMs: number | undefined;
}

export interface Clocks {
  /** Milliseconds since 1970. */
  readonly system: () => number;
  readonly monotonic: MonotonicClock;
}

export interface WorkerTimeOptions {
  readonly layout: Layout;
  readonly worker: number;
  readonly clocks: Clocks;
}

/** The cells of the shared buffer: the first place that nobody has leased, */
const FREE = 0;
/** when ids may be issued, in milliseconds of the monotonic clock, */
const READY_AT = 1;
/** and the furthest that the system's clock has been, in milliseconds since 1970. */
const FURTHEST = 2;
const CELLS = 3;

/**
 * The time of one worker, which all generators and threads of the process share: each place is leased once.
 * Cells change by compare-and-exchange only, so a thread that is terminated leaves nothing locked.
 */
export class WorkerTime {
  readonly #cells: BigInt64Array;
  readonly #layout: Layout;
  readonly #name: string;
  readonly #clocks: Clocks;
  readonly #endOfTime: number;
  /** Whether the wait at the start is over. */
  #started = false;
  /** What the system's clock showed when `FURTHEST` was read, and what that was. */
  #lookedAt = Number.NaN;
  #seen = 0;

  /** `buffer` is that of another thread of this process, or new, where this process begins. */
  constructor({ layout, worker, clocks }: WorkerTimeOptions, buffer?: SharedArrayBuffer) {
    this.#cells = new BigInt64Array(buffer ?? new SharedArrayBuffer(CELLS * BigInt64Array.BYTES_PER_ELEMENT));
    this.#layout = layout;
    this.#name = `snowflake: worker ${worker}`;
    this.#clocks = clocks;
    this.#endOfTime = endOfTime(layout);
    if (buffer === undefined) this.#begin();
  }

  /** For other threads of this process. */
  get buffer(): SharedArrayBuffer {
    return this.#cells.buffer as SharedArrayBuffer;
  }

  /**
   * Leases `count` places in succession from the clock's stamp on, above all that were leased before. If they
   * are not to be had, it changes nothing.
   */
  lease(count: number): Lease | Shortage {
    for (;;) {
      const free = Atomics.load(this.#cells, FREE);
      const found = this.#find(Number(free), count);
      if ('error' in found) return found;
      if (Atomics.compareExchange(this.#cells, FREE, free, BigInt(found.end)) === free) return found;
    }
  }

  /** Why `lease` would not lease `count` places in succession; undefined if it would. */
  shortageOf(count: number): Shortage | undefined {
    const found = this.#find(Number(Atomics.load(this.#cells, FREE)), count);
    return 'error' in found ? found : undefined;
  }

  /**
   * What processes before this one stamped is not known, only that it was less than `WORKER_AHEAD_MS` ahead
   * of their clocks. So this one begins with the first stamp that is not, and issues nothing until then.
   */
  #begin(): void {
    const { epoch, unitMs } = this.#layout;
    const now = this.#clocks.system();
    const first = Math.ceil((now + WORKER_AHEAD_MS - epoch) / unitMs);
    const waitMs = epoch + first * unitMs - now;
    this.#cells[FREE] = BigInt(first * sequenceSize(this.#layout));
    this.#cells[READY_AT] = BigInt(Math.ceil(this.#clocks.monotonic() + waitMs));
    this.#cells[FURTHEST] = BigInt(now);
  }

  #find(free: number, count: number): Lease | Shortage {
    const { epoch, unitMs } = this.#layout;
    const perStamp = sequenceSize(this.#layout);
    const askedAt = this.#clocks.monotonic();
    const now = this.#clocks.system();
    const start = Math.max(free, Math.floor((now - epoch) / unitMs) * perStamp);
    const end = start + count;
    const lastStamp = epoch + Math.floor((end - 1) / perStamp) * unitMs;
    const furthest = this.#furthest(now);
    return this.#shortage(lastStamp, now, furthest, askedAt) ?? { start, end };
  }

  #shortage(lastStamp: number, now: number, furthest: number, askedAt: number): Shortage | undefined {
    if (now < this.#layout.epoch) {
      const epoch = isoOf(this.#layout.epoch);
      return this.#final('ERR_IDS_CLOCK', `the clock shows ${isoOf(now)}, before the epoch ${epoch}`);
    }
    if (lastStamp >= this.#endOfTime)
      return this.#final('ERR_IDS_EXHAUSTED', `the layout ends at ${isoOf(this.#endOfTime)}`);
    if (!this.#started) {
      const startsInMs = Number(this.#cells[READY_AT]) - askedAt;
      if (startsInMs > 0) {
        const why = `the first id comes in ${Math.ceil(startsInMs)} ms, above those of a process that had this number before`;
        return { ...this.#final('ERR_IDS_NOT_READY', why), againMs: startsInMs };
      }
      this.#started = true;
    }
    if (lastStamp < now + WORKER_AHEAD_MS) return undefined;
    const againMs = lastStamp - WORKER_AHEAD_MS - now + 1;
    if (furthest - now > WORKER_AHEAD_MS) {
      const why =
        `the clock went back from ${isoOf(furthest)} to ${isoOf(now)}, and ids up to then are issued: they go on when ` +
        `it shows ${isoOf(now + againMs)}. Do not start this process anew before that, unless with a "worker" that ` +
        'was never used: it would issue the same ids';
      return { ...this.#final('ERR_IDS_CLOCK', why), againMs };
    }
    const why = `the layout has no more ids now: at most ${idsPerSecond(this.#layout)} a second`;
    return { ...this.#final('ERR_IDS_EXHAUSTED', why), againMs };
  }

  #final(code: IdError['code'], why: string): Shortage {
    return { error: new IdError(code, `${this.#name}: ${why}`), againMs: undefined };
  }

  /** Looks at the cell only when the clock has moved: that takes most of the time of a lease. */
  #furthest(now: number): number {
    if (now === this.#lookedAt) return this.#seen;
    this.#lookedAt = now;
    for (;;) {
      const reached = Atomics.load(this.#cells, FURTHEST);
      this.#seen = Math.max(Number(reached), now);
      if (this.#seen > now || Number(reached) === now) return this.#seen;
      if (Atomics.compareExchange(this.#cells, FURTHEST, reached, BigInt(now)) === reached) return now;
    }
  }
}

/**
 * The time of a worker, which this process shares. The main thread creates it, and worker threads that are
 * started later inherit it. Throws `ERR_IDS_CONFIG` in one that was started earlier: it cannot get it, and
 * would repeat ids of the others.
 */
export function timeOfProcess(options: WorkerTimeOptions): WorkerTime {
  const { layout, worker } = options;
  const key = `@ids/snowflake/2/${layoutText(layout)}/${worker}`;
  const inherited = getEnvironmentData(key);
  if (inherited !== undefined) return new WorkerTime(options, inherited as unknown as SharedArrayBuffer);
  if (!isMainThread) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `snowflake: worker ${worker} cannot be used in this worker thread: the main thread must create a generator ` +
        'with it before it starts the thread, so that both share its time',
    );
  }
  const time = new WorkerTime(options);
  setEnvironmentData(key, time.buffer as unknown as NodeJS.Dict<string>);
  return time;
}
