import type { AfterReignChange } from '@ids/store';

/** One request for numbers of a key, validated. */
export interface NumberRequest {
  readonly name: string;
  readonly key: string;
  /** How many consecutive numbers, from 1. */
  readonly count: number;
  readonly table: string;
  /** How long to wait for the key, in whole milliseconds. */
  readonly deadlineMs: number;
  /** Whether it is refused in a reign that was not accepted. */
  readonly refuses: ReignRefusals;
}

interface ReignRefusals {
  readonly failover: boolean;
  readonly restore: boolean;
}

/** What a request does if the database went back: see `docs/numbers.md`. */
export type AfterLoss = Extract<AfterReignChange, 'refuse'> | 'continue';
