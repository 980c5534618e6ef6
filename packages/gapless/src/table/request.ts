import type { AfterReignChange } from '@ids/store';

/** One request for numbers of a key, validated. */
export interface NumberRequest {
  readonly name: string;
  readonly key: string;
  /** How many consecutive numbers, from 1. */
  readonly count: number;
  /** The document that the numbers are for, which gets the same ones again. */
  readonly reference?: string | undefined;
  readonly table: string;
  /** How long to wait for the key, in whole milliseconds. */
  readonly deadlineMs: number;
  /** Whether it is refused in a reign that was not accepted. */
  readonly refuses: ReignRefusals;
}

/** A request for a document that names itself. */
export interface Referenced extends NumberRequest {
  readonly reference: string;
}

/** What a reference was given. */
export interface GivenNumbers {
  readonly key: string;
  readonly first: number;
  readonly count: number;
}

interface ReignRefusals {
  readonly failover: boolean;
  readonly restore: boolean;
}

/** What a request does if the database went back: see `docs/numbers.md`. */
export type AfterLoss = Extract<AfterReignChange, 'refuse'> | 'continue';
