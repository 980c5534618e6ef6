/** One point of the growth: how many ask for ids, and of how many sequences. */
export interface Load {
  readonly processes: number;
  readonly sequences: number;
}

/** What a load cost. Waits are milliseconds of a call, from the call to its id. */
export interface Cost extends Load {
  readonly ids: number;
  /** Scripts that Redis ran: takes, claims and installs. */
  readonly scripts: number;
  /** Segments reserved in the table. */
  readonly reservations: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** Callers of a process per sequence, each with one call after another. */
export const CALLERS = 4;

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
