import type { Needs } from '@ids/config';
import type { Guarantees } from '@ids/core';
import type { Anatomy } from '../cases/anatomy.js';
import type { Alternative } from '../cases/case.js';
import type { AtRateResult } from '../experiments/at-rate.js';
import type { FaultResult } from '../experiments/faults/faults.js';
import type { IndexCosts } from '../experiments/index/run.js';
import type { OpenLoopResult } from '../experiments/latency.js';
import type { Environment } from '../experiments/machine.js';
import type { OrderResult } from '../experiments/order/judge.js';
import type { Profile } from '../experiments/profile.js';
import type { CaseStatus } from '../experiments/steps.js';
import type { LoopResult, SyncResult } from '../experiments/throughput.js';
import type { UniquenessResult } from '../experiments/uniqueness/check.js';
import type { Estimate } from '../measure/statistics.js';
import type { ClaimResult, ProbeResult } from './claims.js';

/** What `result.json` holds. The report is rendered from it alone. */
export interface BenchResult extends RunResult {
  /** Raised with every change that a reader of older files would notice. */
  readonly schemaVersion: 1;
  /** The last runs of other commands, of the same commit on the same machine: one page shows them all. */
  readonly kept?: readonly RunResult[];
  /** With an earlier run: `--compare`. */
  readonly comparison?: Comparison;
}

/** What one command found out. */
export interface RunResult {
  /** The run was stopped: the figures cover what was measured until then. */
  readonly incomplete: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seconds: number;
  readonly profile: Profile;
  readonly processes: number;
  /** Of the bootstrap: the same samples and seed give the same intervals. */
  readonly seed: number;
  readonly environment: Environment;
  /** Why the figures mean nothing, `load 3.1 on 2 cores`; absent if they can be compared. */
  readonly notComparable?: string;
  /** Strategies first, in the order of the list, then controls. */
  readonly cases: readonly CaseResult[];
  /** What to choose: one entry per set of needs, or one without needs. */
  readonly advice: readonly Advice[];
  /** The config of `--config`, with what was recommended for its generators. */
  readonly config?: MergedConfig;
  /** What packages claim about their speed, and whether it holds: `pnpm claims`. */
  readonly claims?: readonly ClaimResult[];
  /** The measurements behind the claims. */
  readonly probes?: readonly ProbeResult[];
  /** What happened to ids during faults: `bench faults`. */
  readonly faults?: readonly FaultResult[];
  /** The cost of ids as a primary key: `bench index`. */
  readonly indexCosts?: IndexCosts;
  /** Everything that makes the exit code 1, in words. */
  readonly problems: readonly string[];
}

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
  /** The types that its option `as` offers with the same figures; absent if there is only `idType`. */
  readonly idTypes?: readonly Guarantees['idType'][];
  /** A strategy of the user: `--strategy`. */
  readonly own?: true;
  /** Of a strategy, or of what people already use; absent for other controls. */
  readonly guarantees?: PlainGuarantees;
  /** A control that people already use: what they call it, and what its uniqueness rests on. */
  readonly alternative?: Omit<Alternative, 'guarantees'>;
  readonly sync?: SyncResult;
  readonly loops?: readonly LoopResult[];
  /** At 50, 80 and 95 % of what closed loops achieved: `LOAD_SHARES`. */
  readonly openLoops?: readonly OpenLoopResult[];
  /** At the rate that the service needs: strategies and what people already use. */
  readonly atRate?: AtRateResult;
  readonly uniqueness?: UniquenessResult;
  readonly order?: OrderResult;
  /** The parts of one id of this run. */
  readonly anatomy?: Anatomy;
}

/** `Guarantees` as JSON. */
export type PlainGuarantees = Omit<Guarantees, 'text'> & {
  readonly text: Omit<Guarantees['text'], 'pattern'> & { readonly pattern: string };
};

/** What a service needs of its ids; a need that is absent was not stated. */
export interface ServiceNeeds extends Needs {
  /** Of the generator in a config file. */
  readonly name?: string;
  /** Ids per second in one process. */
  readonly rate?: number;
  /** The longest time that 99 of 100 calls may take at that rate, in milliseconds. */
  readonly p99Ms?: number;
  /** Outsiders see the ids and must learn nothing from them. */
  readonly public?: boolean;
}

/** What to choose for one set of needs, and why. */
export interface Advice {
  readonly needs: ServiceNeeds;
  /** Best first. */
  readonly fits: readonly Fit[];
  /** The strategy to use; absent if none fits, or if `withheld`. */
  readonly choice?: string;
  /** Why this run recommends nothing, whatever fits. */
  readonly withheld?: string;
  /** Whole sentences about guarantees and measurements. */
  readonly sentences: readonly string[];
  /** `ids.config.json` for the choice; with `--config`, `RunResult.config` is the one for all of them. */
  readonly config?: string;
}

/** `ids.config.json` for all generators of a service. */
export interface MergedConfig {
  readonly text: string;
  /** The settings that are not in it, because they are secret or not JSON: `generators.order.encode.key`. */
  readonly leftOut: readonly string[];
}

/** Whether a strategy meets the needs, by its guarantees and by this run. */
export interface Fit {
  readonly strategy: string;
  /** A phrase for each need that is not met; empty if the strategy fits. */
  readonly unmet: readonly string[];
  /** What it claims to meet the needs, and this run could not test; absent if there is nothing. */
  readonly unproven?: readonly string[];
  /** Nothing went wrong with it in this run; otherwise it ranks last, whatever it promises. */
  readonly sound: boolean;
  /** It fits once its ids are obfuscated; absent if that is not necessary. */
  readonly obfuscate?: true;
}

/** Differences between this run and an earlier one. */
export interface Comparison {
  /** When the earlier run started, ISO 8601. */
  readonly with: string;
  /** Why the two cannot be compared, so that there are no changes; absent if they can. */
  readonly notComparable?: string;
  readonly changes: readonly Change[];
}

/** One ratio to a control, in an earlier run and in this one. */
export interface Change {
  /** What was measured, and how: `objectid, in bursts`. */
  readonly what: string;
  readonly control: string;
  readonly before: Estimate;
  readonly after: Estimate;
  /** `faster` and `slower` if the intervals do not touch, otherwise `tie`. */
  readonly verdict: 'faster' | 'slower' | 'tie';
}

/** The commands that measure, in the order of the page. */
export const PARTS = ['run', 'faults', 'index', 'claims'] as const;

export type Part = (typeof PARTS)[number];

/** The command that a result comes from. */
export function partOf({ claims, faults, indexCosts }: RunResult): Part {
  if (claims !== undefined) return 'claims';
  if (faults !== undefined) return 'faults';
  return indexCosts === undefined ? 'run' : 'index';
}

/** All runs in a result, by command. */
export function partsOf(result: BenchResult): Readonly<Partial<Record<Part, RunResult>>> {
  return Object.fromEntries([...(result.kept ?? []), result].map((one) => [partOf(one), one]));
}

/** How to call it: `bench faults`, `claims`. */
const COMMANDS: Readonly<Record<Part, string>> = {
  run: 'bench',
  faults: 'bench faults',
  index: 'bench index',
  claims: 'claims',
};

/** How a shell starts a command: in a clone, or, where this run was installed, from the registry. */
export function shellCommand(part: Part, { environment }: RunResult): string | undefined {
  if (environment.gitCommit !== undefined) return `pnpm ${COMMANDS[part]}`;
  return part === 'claims' ? undefined : `npx @ids/${COMMANDS[part]}`;
}

export function commandOf(run: RunResult): string {
  return COMMANDS[partOf(run)];
}
