import type { CaseEnvironment, Preparable } from '../bench-case.js';
import type { Estimate } from '../measure/statistics.js';

/** One figure of one probe. Times are nanoseconds per operation. */
export interface FigureRef {
  readonly probe: string;
  readonly figure: string;
}

/** A sentence of a package's README about speed, with what it takes to hold the product to it. */
export interface Claim {
  /** `<package>/<what>`, unique. */
  readonly id: string;
  /** The folder of the package, as `--only` takes it. */
  readonly package: string;
  readonly text: string;
  readonly case: FigureRef;
  /** Measured in the same blocks; without one the figure itself is held to the threshold. */
  readonly control?: FigureRef;
  /**
   * `at least`: the control's time over the case's, so 3 is three times as fast. `at most`: the case's over
   * the control's, so 2 is twice the cost.
   */
  readonly direction: 'at least' | 'at most';
  readonly threshold: number;
}

/**
 * `holds`: the whole interval keeps the promise. `misses`: the whole interval breaks it.
 * `unclear`: the threshold lies within. `not comparable`: the machine was too busy, or there are
 * no figures; `reason` says which.
 */
export type ClaimVerdict = 'holds' | 'misses' | 'unclear' | 'not comparable';

export interface ClaimResult extends Claim {
  readonly verdict: ClaimVerdict;
  readonly reason?: string;
  /** The ratio, or the figure itself without a control; absent when nothing was measured. */
  readonly measured?: Estimate;
}

/** What a probe found out in one process, by name. Times are nanoseconds per operation. */
export type Figures = Readonly<Record<string, number>>;

/** An opened probe in a worker, which closes it. */
interface Probe {
  /**
   * Warms up, measures for about `ms` milliseconds and checks what came out; throws
   * `InvalidOutput` when that is wrong.
   */
  measure(ms: number): Promise<Figures>;
  close(): Promise<void>;
}

/** Something whose cost a claim speaks of, or compares with: measured in a fresh process per block. */
export interface ProbeCase extends Preparable {
  /** How many times the usual time it measures: rare events need many calls. 1 by default. */
  readonly patience?: number;
  /** What it finds out is exact: one process is enough, whatever the profile says. */
  readonly exact?: boolean;
  open(environment: CaseEnvironment): Promise<Probe>;
}

/** What one package claims, and what it takes to measure it. */
export interface PackageClaims {
  readonly claims: readonly Claim[];
  readonly probes: readonly ProbeCase[];
}
