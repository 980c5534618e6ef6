import type { Guarantees } from '@ids/core';
import type { Anatomy } from './anatomy/anatomy.js';
import type { ServiceNeeds } from './choose/service-needs.js';
import type { ClaimResult } from './claims/claim.js';
import type { FaultResult } from './faults/fault.js';
import type { IndexCost } from './index-cost/shape.js';
import type { LoopMeasure, LoopSetting } from './measure/closed-loop.js';
import type { Estimate, Ratio } from './measure/statistics.js';
import type { SyncTrial } from './measure/sync-bursts.js';
import type { OrderResult } from './order/judge-order.js';
import type { Profile } from './profile.js';
import type { Duplicate } from './uniqueness/find-duplicates.js';

/** What `result.json` holds. The report is rendered from it alone. */
export interface BenchResult extends RunResult {
  /** Raised with every change that a reader of older files would notice. */
  readonly schemaVersion: 1;
  /** The last runs of other commands, of the same commit on the same machine: one page shows them all. */
  readonly kept?: readonly RunResult[];
  /** Beside an earlier run, of `--compare`. */
  readonly comparison?: Comparison;
}

/** What one command found out. */
export interface RunResult {
  /** The run was stopped: figures are of what was measured until then. */
  readonly incomplete: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seconds: number;
  readonly profile: Profile;
  readonly processes: number;
  /** Of the bootstrap: with the raw samples it gives the same intervals again. */
  readonly seed: number;
  readonly environment: Environment;
  /** Why the figures mean nothing, `load 3.1 on 2 cores`; absent when they may be compared. */
  readonly notComparable?: string;
  /** Strategies first, in the order of the list, then controls. */
  readonly cases: readonly CaseResult[];
  /** What to choose: one entry for each set of needs that was given, or one for no needs at all. */
  readonly advice: readonly Advice[];
  /** What the packages claim about speed, of `bench claims`. */
  readonly claims?: readonly ClaimResult[];
  /** What the claims were held to. */
  readonly probes?: readonly ProbeResult[];
  /** What became of ids while something went wrong, of `bench faults`. */
  readonly faults?: readonly FaultResult[];
  /** What ids cost the index of a table, of `bench index`. */
  readonly indexCosts?: { readonly sharedBuffers: string; readonly costs: readonly IndexCost[] };
  /** Everything that makes the exit code 1, in words. */
  readonly problems: readonly string[];
}

export interface Environment {
  readonly node: string;
  readonly os: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  /**
   * The load average over one minute, before and after, and how many cores other
   * programs kept busy meanwhile.
   */
  readonly load: { readonly before: number; readonly after: number; readonly others: number };
  readonly redis?: string;
  readonly postgres?: string;
  readonly gitCommit?: string;
}

/**
 * `skipped`: a backend could not be had. `invalid`: an output broke a promise, so speed does
 * not count. `failed`: a worker crashed or hung. `unfinished`: the run was stopped before this
 * case had all of its figures.
 */
export type CaseStatus = 'ok' | 'skipped' | 'invalid' | 'failed' | 'unfinished';

export interface CaseResult {
  readonly name: string;
  readonly kind: 'strategy' | 'control';
  readonly status: CaseStatus;
  /** Why it is not `ok`. */
  readonly reason?: string;
  readonly comparedWith: readonly string[];
  readonly idType: Guarantees['idType'];
  readonly maxLength: number;
  readonly maxIdsPerSecond?: number;
  /** Strategies only. */
  readonly guarantees?: PlainGuarantees;
  readonly sync?: SyncResult;
  readonly loops?: readonly LoopResult[];
  /** By `LOAD_SHARES`: 50, 80 and 95 % of what closed loops achieved. */
  readonly openLoops?: readonly OpenLoopResult[];
  readonly uniqueness?: UniquenessResult;
  readonly order?: OrderResult;
  /** Of one id of this run. */
  readonly anatomy?: Anatomy;
}

/** `Guarantees` as JSON can hold them. */
export type PlainGuarantees = Omit<Guarantees, 'text'> & {
  readonly text: Omit<Guarantees['text'], 'pattern'> & { readonly pattern: string };
};

/** Bursts of `nextSync`. Rates are ids per second; times are nanoseconds per id. */
export interface SyncResult {
  readonly idsPerSecond: Estimate;
  readonly ns: Estimate;
  readonly nsAsMapKey: Estimate;
  /** Over all timed calls, each of 1,000 ids. */
  readonly p50: number;
  readonly p99: number;
  readonly ratios: readonly Ratio[];
  readonly ratiosAsMapKey: readonly Ratio[];
  /** By block; `null` where the block was not reached. */
  readonly trials: readonly (SyncTrial | null)[];
}

/** One closed loop. Latencies are nanoseconds per call, the median over the blocks. */
export interface LoopResult extends LoopSetting {
  readonly idsPerSecond: Estimate;
  readonly p50: number;
  readonly p99: number;
  readonly ratios: readonly Ratio[];
  /** By block; `null` where the block was not reached. */
  readonly trials: readonly (LoopMeasure | null)[];
}

/** Calls at fixed times. Medians over the blocks. */
export interface OpenLoopResult {
  /** Of the capacity. */
  readonly share: number;
  /** Calls per second. */
  readonly rate: number;
  /**
   * Nanoseconds from the intended start, at the percentiles 50, 75, 90, 99 and 99.9;
   * `null`: too few calls to say.
   */
  readonly latency: readonly (number | null)[];
  readonly max: number;
  readonly calls: number;
  /** In at least one block the calls piled up. */
  readonly overloaded: boolean;
}

export interface UniquenessResult {
  readonly ids: number;
  readonly processes: number;
  readonly duplicates: number;
  readonly examples: readonly Duplicate[];
  /** What the worst process went on holding, in bytes per id; 0 where that is too little to be a leak. */
  readonly retainedBytesPerId?: number;
  readonly seconds: number;
}

/** What to choose for one set of needs, and why. */
export interface Advice {
  readonly needs: ServiceNeeds;
  /** Best first. */
  readonly fits: readonly Fit[];
  /** The strategy to use; absent when none fits. */
  readonly choice?: string;
  /** Whole sentences, made of the guarantees and of what was measured. */
  readonly sentences: readonly string[];
  /** `ids.config.json` for the choice. */
  readonly config?: string;
}

/** Whether a strategy meets the needs: by what it guarantees, and by what it did in this run. */
export interface Fit {
  readonly strategy: string;
  /** A phrase for each need that is not met; empty when the strategy fits. */
  readonly unmet: readonly string[];
  /** Nothing went wrong with it in this run: else it is the last to choose, whatever it promises. */
  readonly sound: boolean;
  /** It fits once its ids are obfuscated for outsiders; absent where they need not be. */
  readonly obfuscate?: true;
}

/** What was measured by one probe of `bench claims`. */
export interface ProbeResult {
  readonly name: string;
  readonly status: CaseStatus;
  /** Why it is not `ok`. */
  readonly reason?: string;
  /** By block; `null` where the block was not reached. */
  readonly blocks: readonly (Readonly<Record<string, number>> | null)[];
}

/** This run beside an earlier one. */
export interface Comparison {
  /** When the earlier run started, ISO 8601. */
  readonly with: string;
  readonly changes: readonly Change[];
}

/** One ratio to a control, in an earlier run and in this one. */
export interface Change {
  /** Whose, and measured how: `objectid, in bursts`. */
  readonly what: string;
  readonly control: string;
  readonly before: Estimate;
  readonly after: Estimate;
  /** `faster` and `slower` where the intervals do not touch, else `tie`. */
  readonly verdict: 'faster' | 'slower' | 'tie';
}
