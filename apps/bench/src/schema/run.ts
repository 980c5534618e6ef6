import type { Guarantees } from '@ids/core';
import type { Advice } from './advice.js';
import type { CaseResult } from './case.js';

/** Where the figures come from. */
export interface Environment {
  readonly node: string;
  readonly os: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  /** How many cores other programs kept busy, on average. */
  readonly otherCores: number;
  readonly redis?: string;
  readonly postgres?: string;
  /**
   * Of the servers, those that the user named by URL: they may be elsewhere, behind a network. Absent if all
   * were started on this machine.
   */
  readonly byUrl?: Guarantees['backends'];
  /** Of this package. */
  readonly version: string;
}

/** What happened to the ids of a strategy during a fault. */
export interface FaultResult {
  readonly fault: string;
  readonly what: string;
  readonly strategy: string;
  /** Why the fault was not injected: there are no figures. */
  readonly skipped?: string;
  /** Why there are no figures, although it was to be injected. */
  readonly failed?: string;
  readonly ids: number;
  readonly duplicates: number;
  /** An id that was issued twice. */
  readonly example?: string;
  /** Numbers between the smallest and the greatest id never issued; absent if ids are no numbers. */
  readonly lost?: number;
  /** The longest time without an id in any process, in milliseconds. */
  readonly withoutIdsMs: number;
  /** Rejected calls. */
  readonly errors: number;
  readonly firstError?: string;
}

/** Raised with every change of `BenchResult` that a reader of older files would notice. */
export const SCHEMA_VERSION = 6;

/** What one command found out: `result.json`. The report is rendered from it alone. */
export interface BenchResult {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  /** The run was stopped: the figures cover what was measured until then. */
  readonly incomplete: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seconds: number;
  /** How much was measured: see `profiles`. */
  readonly profile: 'quick' | 'full' | 'smoke';
  readonly processes: number;
  readonly environment: Environment;
  /** Why the figures mean nothing, `load 3.1 on 2 cores`; absent if they can be compared. */
  readonly notComparable?: string;
  /** Strategies first, in the order of the list, then controls. */
  readonly cases: readonly CaseResult[];
  /** What to choose: of a command that measures strategies. */
  readonly advice?: Advice;
  /** `ids.config.json` with what was recommended. */
  readonly config?: string;
  /** What happened to ids during faults: `bench faults`. */
  readonly faults?: readonly FaultResult[];
  /** Everything that makes the exit code 1, in words. */
  readonly problems: readonly string[];
}
