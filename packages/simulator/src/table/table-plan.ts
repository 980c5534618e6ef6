import type { NewReignOptions } from '@ids/segment/sql';
import type { Random } from '../random.js';
import type { ReignGuard } from './table-row.js';

/** What a seed decides about the table. */
export interface TablePlan {
  /** How much of the reign the role may ask. */
  readonly guard: ReignGuard;
  readonly triggers: boolean;
  /** The first transaction: also near where its low 32 bits begin anew. */
  readonly firstXact: number;
  /** Whether the rows are from before the columns of the reign. */
  readonly oldRows: boolean;
  readonly after: Required<NewReignOptions>;
  /** How long it takes until somebody sets the floor of a table that refuses, in milliseconds. */
  readonly repairMs: number;
}

export function drawTablePlan(random: Random, largestStep: number): TablePlan {
  const skip = () => random.pick([DEFAULT_SKIP, Math.ceil(largestStep * random.magnitude(3, 300))]);
  const after = random.chance(0.3)
    ? ({ afterFailover: 'refuse', afterRestore: 'refuse' } as const)
    : { afterFailover: skip(), afterRestore: skip() };
  return {
    guard: random.pick(['full', 'full', 'full', 'full', 'full', 'full', 'row', 'off']),
    triggers: random.chance(0.5),
    firstXact: random.pick([1_000, 2 ** 32 - 20, 3 * 2 ** 32 - 5]),
    oldRows: random.chance(0.15),
    after,
    repairMs: random.magnitude(20, 1_000),
  };
}

/** The product's own, which is not exported. */
const DEFAULT_SKIP = 10_000_000;
