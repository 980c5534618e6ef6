import type { HttpPlan } from '../http/http-plan.js';
import { Random } from '../random.js';
import type { TablePlan } from '../table/table-plan.js';
import type { BasePlan } from './base-plan.js';
import type { PlannedFault } from './planned-faults.js';

/** The load of a process on its generators. */
export interface Demand {
  /** Callers per process; each makes one call after another. */
  readonly callers: number;
  /** Milliseconds between two calls of a caller, on average. */
  readonly thinkMs: number;
  /** The probability that a call is a batch, and the maximum number of ids in one. */
  readonly batches: number;
  readonly largestBatch: number;
  /** The probability that a caller does not wait for a call before it makes the next. */
  readonly bursts: number;
  /** The probability that a caller aborts a call. */
  readonly aborts: number;
}

/**
 * The subject of a special seed, a combination that chance alone rarely produces: processes killed with a
 * lease while the clock steps; a running Redis that is wound back; a table and a Redis that forget at the
 * same time; bookings in split brain; commands that are resent after losses; segments that are installed long
 * after their lease expired; a hash that is copied to another prefix, which processes use as well; a primary
 * of the table that still answers beside its successor; split brain, with replicas that must
 * confirm.
 */
export type Special =
  | 'clocks'
  | 'wound back'
  | 'both forget'
  | 'split bookings'
  | 'sent again'
  | 'late installs'
  | 'copied hash'
  | 'deposed'
  | 'confirmed split';

/** Everything that a seed decides before its run begins. */
export interface Plan extends BasePlan {
  readonly sequences: readonly string[];
  readonly uses: ReadonlyMap<string, SequenceUse>;
  /** The id before the first one: for large numbers, their format matters. */
  readonly startAfter: number;
  readonly options: BasePlan['options'] & {
    readonly minStep: number;
    readonly maxStep: number;
    readonly lockMs: number;
  };
  /** The subject of a special seed; undefined for the others. */
  readonly special: Special | undefined;
  readonly demand: Demand;
  readonly table: TablePlan;
  readonly faults: readonly PlannedFault[];
  /** Undefined if all processes reach the table themselves. */
  readonly http: HttpPlan | undefined;
}

/** A plan without its faults, its table and its strategies. */
export type DrawnPlan = Omit<Plan, 'faults' | 'table' | 'uses' | 'http'>;

/**
 * The maximum number of generators in a run: beyond it, each process serves only some of the sequences, as in
 * a large fleet.
 */
export const MOST_GENERATORS = 2_000;

/** The sequences for which process `number`, from 1, has a generator: all of them, or its share. */
export function sequencesOf({ processes, sequences }: Plan, number: number): readonly string[] {
  const count = Math.max(1, Math.floor(MOST_GENERATORS / processes));
  if (count >= sequences.length) return sequences;
  const first = (number - 1) * count;
  return Array.from({ length: count }, (_, i) => sequences[(first + i) % sequences.length] as string);
}

/**
 * Where the ids of a sequence come from: a hash in Redis, the own segments of each process, or a mix of both.
 */
export type SequenceUse = 'redis' | 'inproc' | 'mixed';
/**
 * `ordered`: segments that each process reserves for the calls that wait, in real-time order. `redis aside`:
 * as `redis`, under another prefix.
 */
export type StrategyName = 'redis' | 'redis aside' | 'inproc' | 'ordered';

/** Most of what can break is in Redis. */
const REDIS = Array.from({ length: 8 }, () => 'redis' as const);

export function drawUse(seed: number, name: string, aboutTable: boolean): SequenceUse {
  const random = new Random(seed, `use of ${name}`);
  // What Redis remembers hides what the table forgets.
  return aboutTable ? random.pick(['redis', 'inproc', 'mixed']) : random.pick([...REDIS, 'inproc', 'mixed']);
}

/** The strategy of a process for a sequence. */
export function strategyOf({ seed, uses, special }: Plan, name: string, process: number): StrategyName {
  const use = uses.get(name) ?? 'redis';
  if (special === 'copied hash') return process % 2 === 0 ? 'redis aside' : 'redis';
  const random = new Random(seed, `strategy of ${name} in ${process}`);
  if ((use === 'mixed' ? random.pick(['redis', 'inproc']) : use) === 'redis') return 'redis';
  return new Random(seed, `order of ${name}`).chance(0.5) ? 'ordered' : 'inproc';
}
