/** A median with its 95 % interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * How a case compares with its control, in throughput: 2 is twice as many ids per second. `tie`: the whole
 * interval lies within ±5 %; `unclear`: it does not, but reaches into that band, or there are fewer than
 * `MIN_BLOCKS` blocks.
 */
export interface Ratio extends Estimate {
  readonly control: string;
  readonly verdict: 'faster' | 'slower' | 'tie' | 'unclear';
}

/** Bursts of `nextSync`. Rates are ids per second; times are nanoseconds per id. */
export interface SyncResult {
  readonly idsPerSecond: Estimate;
  /** Including the waits for ids that had to be fetched, which the bursts leave out. */
  readonly sustained: Estimate;
  readonly ns: Estimate;
  readonly nsAsMapKey: Estimate;
  /** Over all timed calls, each of 1,000 ids. */
  readonly p99: number;
  readonly ratios: readonly Ratio[];
}

/** How many callers there are, and how many ids each requests per call. */
export interface LoopSetting {
  readonly concurrency: number;
  /** 1: with `next`; more: with `nextBatch`. */
  readonly batch: number;
}

/** One closed loop. Latencies are nanoseconds per call, the median over the blocks. */
export interface LoopResult extends LoopSetting {
  readonly idsPerSecond: Estimate;
  readonly p50: number;
  readonly p99: number;
  /** By key: the share of calls that were the first ones for their keys. */
  readonly firstUses?: number | undefined;
  readonly ratios: readonly Ratio[];
}

interface OpenLoopLatencies {
  /**
   * Nanoseconds from the intended start of a call, at the percentiles 50, 75, 90, 99 and 99.9 of all calls;
   * `null` if there were too few.
   */
  readonly latency: readonly (number | null)[];
  /** The p99 of the block, and of the process, in which it was worst; `null` if all had too few calls. */
  readonly p99OfWorstBlock: number | null;
  readonly max: number;
  /** Of all blocks, in all processes together. */
  readonly calls: number;
  /** In at least one block or process, calls piled up or came later and later. */
  readonly overloaded: boolean;
}

/** Calls at fixed times, at a share of the capacity. */
export interface OpenLoopResult extends OpenLoopLatencies {
  readonly share: number;
  /** Calls per second, the median over the blocks. */
  readonly rate: number;
}

/**
 * Calls at fixed times, at a rate, in several processes at once, without a pause. Each percentile is that of
 * the process that was worst there.
 */
export interface LoadResult extends OpenLoopLatencies {
  /** Ids per second that the slowest process got. */
  readonly achieved: number;
  /** Calls that failed. */
  readonly errors: number;
}

/** `next()` at the rate that a service needs. */
export interface AtRateResult extends LoadResult {
  /** Ids per second in each process, as needed. */
  readonly rate: number;
  readonly processes: number;
  /** For how many milliseconds. */
  readonly ms: number;
  /** Refills of all processes together in that time; absent if they count none. */
  readonly refills?: number;
  /** The same with `nextSync`, and `next` where no id was in memory; absent if there is no `nextSync`. */
  readonly nextSync?: LoadResult;
  /** The same with ids that cost nothing: if that is too slow, the machine is what is too slow. */
  readonly baseline: LoadResult;
}

/**
 * Nanoseconds per id, in the best of many short rounds; absent for a way to ask that a strategy does not
 * have.
 */
export interface Pace {
  /** With `nextSync`, without the waits for ids that are fetched. */
  readonly sync?: number;
  /** With `next`, 16 callers at once. */
  readonly waiting?: number;
}

/** The pace of one process, when it was new and later. */
export interface SlowdownResult {
  readonly first: Pace;
  readonly later: Pace;
  /** Milliseconds from the first ids to the later ones. */
  readonly afterMs: number;
  /** Ids that were taken in between, to use up what was made in advance. */
  readonly taken: number;
}
