import type { Guarantees } from '@ids/core';
import type { AtRateResult, LoopResult, OpenLoopResult, SlowdownResult, SyncResult } from './figures.js';

/** `Guarantees` of a generator without keys, as JSON. */
export type PlainGuarantees = Omit<Guarantees, 'text' | 'within'> & {
  readonly text: Omit<Guarantees['text'], 'pattern'> & { readonly pattern: string };
};

/** Which process issued an id, and its position among the ids of that process; both from 0. */
interface Issue {
  readonly process: number;
  readonly index: number;
}

/** An id that was issued twice. */
export interface Duplicate {
  readonly id: string;
  readonly first: Issue;
  readonly again: Issue;
}

/** An exact search for duplicates among many ids. */
export interface UniquenessResult {
  readonly ids: number;
  readonly processes: number;
  readonly duplicates: number;
  readonly examples: readonly Duplicate[];
  /** Memory that the worst process still holds, in bytes per id; 0 if that is too little to be a leak. */
  readonly retainedBytesPerId?: number;
  readonly seconds: number;
}

/** The order of the ids of several processes. */
export interface OrderResult {
  readonly calls: number;
  readonly processes: number;
  /** The highest level that held in this run. A run cannot prove a level, only refute one. */
  readonly observed: 'real-time' | 'k-sorted' | 'per process' | 'none';
  /** k-sorted: the widest inversion, in milliseconds; 0 in real-time order. */
  readonly skewMs: number;
  /** What refutes the next higher level, in words. */
  readonly counterExample?: string;
  /** The claims that did not hold, in words; empty if all held. */
  readonly brokenClaims: readonly string[];
  /** The claims that this run was too short to refute, in words; absent if there are none. */
  readonly untested?: readonly string[];
}

/**
 * `skipped`: a backend is not available. `invalid`: an output broke a promise, so speed does not count.
 * `failed`: a worker crashed or hung. `unfinished`: the run was stopped before this case had all of its
 * figures.
 */
export type CaseStatus = 'ok' | 'skipped' | 'invalid' | 'failed' | 'unfinished';

/** What was measured of a strategy, or of a control. */
export interface CaseResult {
  readonly name: string;
  readonly kind: 'strategy' | 'control';
  readonly status: CaseStatus;
  /** Why it is not `ok`. */
  readonly reason?: string;
  readonly maxIdsPerSecond?: number;
  /** The types that its option `as` offers with the same figures; absent if there is only that of its ids. */
  readonly idTypes?: readonly Guarantees['idType'][];
  /** A strategy of the user: `--strategy`. */
  readonly own?: true;
  /** Of a strategy; absent for controls. */
  readonly guarantees?: PlainGuarantees;
  /** A control that people already use. */
  readonly usual?: true;
  readonly sync?: SyncResult;
  readonly loops?: readonly LoopResult[];
  /** At 50, 80 and 95 % of what closed loops achieved: `LOAD_SHARES`. */
  readonly openLoops?: readonly OpenLoopResult[];
  /** At the rate that the service needs: strategies and what people already use. */
  readonly atRate?: AtRateResult;
  /** Whether it gets slower: of a strategy. */
  readonly slowdown?: SlowdownResult;
  readonly uniqueness?: UniquenessResult;
  readonly order?: OrderResult;
}
