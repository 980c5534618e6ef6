import type { Guarantees } from '@ids/core';
import type { ConformanceSubject } from '../subject.js';

/** One requirement on every strategy, as data, for any runner. */
export interface ConformanceCase {
  /** A sentence about a generator: "gives no id twice". */
  readonly name: string;
  /**
   * Why these guarantees make the case pointless, or undefined to run it. Nothing else can switch a case off.
   */
  skip(guarantees: Guarantees): string | undefined;
  /** Rejects, with an `AssertionError` when the requirement is not met. */
  run(subject: ConformanceSubject): Promise<void>;
}

/** The skip of a case that concerns every strategy. */
export function never(): undefined {
  return undefined;
}
