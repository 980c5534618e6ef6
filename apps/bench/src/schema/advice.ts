import type { Needs } from '@ids/config';

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

/** Whether a strategy meets the needs, by its guarantees and by this run. */
export interface Fit {
  readonly strategy: string;
  /** A phrase for each need that is not met; empty if the strategy fits. */
  readonly unmet: readonly string[];
  /** What it claims to meet the needs, and this run could not test; absent if nothing. */
  readonly unproven?: readonly string[];
  /** Nothing went wrong with it in this run; otherwise it ranks last, whatever it promises. */
  readonly sound: boolean;
  /** It fits once its ids are obfuscated; absent if that is not necessary. */
  readonly obfuscate?: true;
}

/** What to choose for one set of needs, and why. */
export interface Advice {
  readonly needs: ServiceNeeds;
  /** Best first. */
  readonly fits: readonly Fit[];
  /** The strategy to use; absent if none fits, or if `withheld`. */
  readonly choice?: string;
  /** Why this run recommends nothing, although nothing speaks against the first of `fits`. */
  readonly withheld?: string;
  /** Whole sentences about guarantees and measurements. */
  readonly sentences: readonly string[];
}
