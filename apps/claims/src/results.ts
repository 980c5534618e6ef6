import type { CaseStatus, Profile, SessionFacts } from '@ids/bench/command';
import type { Estimate } from '@ids/bench/measure';

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

/** A claim, and whether it holds. */
export interface ClaimResult extends Claim {
  readonly verdict: ClaimVerdict;
  readonly reason?: string;
  /** The ratio, or the figure itself without a control; absent if nothing was measured. */
  readonly measured?: Estimate;
}

/** What a probe measured in one process, by name. Times are nanoseconds per operation. */
export type Figures = Readonly<Record<string, number>>;

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

/** What `result.json` of `pnpm claims` holds. */
export interface ClaimsResult extends SessionFacts {
  readonly profile: Profile['name'];
  readonly processes: number;
  readonly claims: readonly ClaimResult[];
  readonly probes: readonly ProbeResult[];
  /** What went wrong with probes, in words. */
  readonly problems: readonly string[];
}

/** Fresh processes per probe or build, and how long each measures a probe, in milliseconds. */
export const SIZES: Readonly<Record<Profile['name'], { readonly blocks: number; readonly ms: number }>> = {
  quick: { blocks: 9, ms: 250 },
  full: { blocks: 49, ms: 400 },
  smoke: { blocks: 1, ms: 40 },
};
