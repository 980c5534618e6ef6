import type { CaseStatus } from '../experiments/steps.js';
import type { Estimate } from '../measure/statistics.js';

/** One figure of one probe. Times are nanoseconds per operation. */
export interface FigureRef {
  readonly probe: string;
  readonly figure: string;
}

/** A sentence of a package's README about speed, and how to check it. */
export interface Claim {
  /** `<package>/<what>`, unique. */
  readonly id: string;
  /** The folder of the package: a name for `--only`. */
  readonly package: string;
  readonly text: string;
  readonly case: FigureRef;
  /** Measured in the same blocks; without a control, the figure itself is compared with the threshold. */
  readonly control?: FigureRef;
  /**
   * `at least`: the time of the control over that of the case: 3 is three times as fast. `at most`: the time
   * of the case over that of the control: 2 is twice the cost.
   */
  readonly direction: 'at least' | 'at most';
  readonly threshold: number;
  /** Every block must meet it, not only the median: for what must never happen. */
  readonly always?: true;
}

/**
 * `holds`: the whole interval meets the claim. `misses`: the whole interval fails it. `unclear`: the
 * threshold lies within the interval. `not comparable`: the machine was too busy, or there are no figures;
 * see `reason`.
 */
export type ClaimVerdict = 'holds' | 'misses' | 'unclear' | 'not comparable';

export interface ClaimResult extends Claim {
  readonly verdict: ClaimVerdict;
  readonly reason?: string;
  /** The ratio, or the figure itself without a control; absent if nothing was measured. */
  readonly measured?: Estimate;
}

/** What one probe measured. */
export interface ProbeResult {
  readonly name: string;
  readonly status: CaseStatus;
  /** Why it is not `ok`. */
  readonly reason?: string;
  /** Its figures are the same in every process, so one block is enough. */
  readonly exact?: true;
  /** By block; `null` if the block was not finished. */
  readonly blocks: readonly (Figures | null)[];
}

/** What a probe measured in one process, by name. Times are nanoseconds per operation. */
export type Figures = Readonly<Record<string, number>>;
