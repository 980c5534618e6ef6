import type { NewReignOptions } from '@ids/store';
import { Random } from '../random.js';
import type { ReignGuard, RoleSettings } from './table-server.js';

/** What a seed decides about the table. */
export interface TablePlan {
  /** How much of the reign the role may query. */
  readonly guard: ReignGuard;
  readonly triggers: boolean;
  /** The first transaction id: also near the wraparound of its low 32 bits. */
  readonly firstXact: number;
  /** Whether the rows are older than the columns of the reign. */
  readonly oldRows: boolean;
  readonly after: Required<NewReignOptions>;
  /** How long it takes until an operator sets the floor of a table that refuses, in milliseconds. */
  readonly repairMs: number;
  /**
   * The settings of the role that would prevent commits from waiting for a standby; undefined if there is
   * none.
   */
  readonly synchronous: RoleSettings | undefined;
}

/** The share of seeds whose skips grow, among those that skip. */
const GROWING = 0.4;

/** Draws from a separate stream, so that other seeds stay as they are. */
export function withGrowth(seed: number, plan: TablePlan): TablePlan {
  const random = new Random(seed, 'growing skips');
  const { afterFailover, afterRestore } = plan.after;
  if (typeof afterFailover !== 'number' || typeof afterRestore !== 'number' || !random.chance(GROWING))
    return plan;
  const growing = (base: number) => ({ base, perSecond: random.pick([0, 1_000, 100_000]) });
  return { ...plan, after: { afterFailover: growing(afterFailover), afterRestore: growing(afterRestore) } };
}

/** The share of seeds with a synchronous standby, among those that may have one. */
const SYNCHRONOUS = 0.12;

/**
 * Draws from a separate stream, so that other seeds stay as they are. Only standbys that lack nothing are
 * promoted.
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

/** The default of `@ids/segment`, which is not exported. */
const DEFAULT_SKIP = 10_000_000;
