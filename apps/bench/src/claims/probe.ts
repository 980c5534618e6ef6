import type { CaseEnvironment, Preparable } from '../bench-case.js';
import type { Claim } from './claim.js';

/** What a probe found out in one process, by name. Times are nanoseconds per operation. */
export type Figures = Readonly<Record<string, number>>;

/** An opened probe in a worker, which closes it. */
interface Probe {
  /** Warms up, measures for about `ms` milliseconds and checks what came out; throws `InvalidOutput` when that is wrong. */
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
