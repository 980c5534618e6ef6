import type { NewReignOptions } from '@ids/segment/sql';
import { Random } from '../random.js';
import type { ReignGuard } from './table-row.js';
import type { RoleSettings } from './table-server.js';

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
  /** Present where commits wait for a standby: what the role has set, which would undo that. */
  readonly synchronous: RoleSettings | undefined;
}

/** The share of the seeds that may have a synchronous standby which have one. */
const SYNCHRONOUS = 0.12;

/**
 * Drawn from a stream of its own, so that what other seeds draw stays as it is. Only standbys that
 * lack nothing are promoted.
 */
export function withStandby(seed: number, plan: TablePlan): TablePlan {
  const random = new Random(seed, 'synchronous standby');
  if (!random.chance(SYNCHRONOUS)) return plan;
  const synchronous: RoleSettings = {
    client_min_messages: random.pick(['notice', 'error']),
    synchronous_commit: random.pick(['on', 'off']),
  };
  return { ...plan, synchronous, after: { ...plan.after, afterFailover: 0 } };
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
    synchronous: undefined,
  };
}

/** The product's own, which is not exported. */
const DEFAULT_SKIP = 10_000_000;
