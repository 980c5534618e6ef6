import type { TablePlan } from '../table/table-plan.js';
import type { ClusterPlan } from './cluster-plan.js';
import type { PlannedFault } from './scatter-faults.js';
import type { SequenceUse } from './strategies.js';

/** What a process does with its generators. */
export interface Demand {
  /** Callers per process, each with one call after another. */
  readonly callers: number;
  /** Milliseconds between two calls of a caller, on average. */
  readonly thinkMs: number;
  /** How likely a call is a batch, and how many ids one has at most. */
  readonly batches: number;
  readonly largestBatch: number;
  /** How likely a call is made beside others of the same caller, without waiting. */
  readonly bursts: number;
  /** How likely a call is given up by its caller. */
  readonly aborts: number;
}

/**
 * What some seeds are about, since chance alone rarely brings it together: processes that are killed with a
 * ticket under a clock that steps; a running Redis that is wound back; a table and a Redis that forget at the
 * same time; bookings in split brain; commands that are sent again after losses; segments that are installed
 * long after their ticket ran out.
 */
export type Special =
  | 'clocks'
  | 'wound back'
  | 'both forget'
  | 'split bookings'
  | 'sent again'
  | 'late installs';

/** Everything that a seed decides before its run begins. */
export interface Plan {
  readonly seed: number;
  readonly runMs: number;
  readonly processes: number;
  readonly sequences: readonly string[];
  readonly uses: ReadonlyMap<string, SequenceUse>;
  /** The id before the first one: where numbers are long, their spelling matters. */
  readonly startAfter: number;
  readonly replicas: number;
  readonly options: {
    readonly minStep: number;
    readonly maxStep: number;
    readonly lockMs: number;
    readonly deadlineMs: number;
    readonly waitReplicas: number;
    /** Undefined: no bound. */
    readonly maxIdsLost?: number | undefined;
  };
  readonly resends: boolean;
  readonly maxResends: number;
  readonly reconnectsOnReadonly: boolean;
  readonly cpuTickUs: number;
  /** How much the clocks of two processes may differ in rate. */
  readonly drift: number;
  readonly timerLag: number;
  /** How slow slow connections are, in milliseconds, and which share of them is slow from the start. */
  readonly slowMs: number;
  readonly slowShare: number;
  /** Which share of the connections loses replies from the start, and how many of them. */
  readonly lossyShare: number;
  readonly loss: number;
  /** How long the table takes at most from the start, in milliseconds. */
  readonly tableMs: number;
  readonly splitBrain: boolean;
  /** Undefined: a single server with its replicas. */
  readonly cluster: ClusterPlan | undefined;
  /** What the seed is about, if it is about something of its own. */
  readonly special: Special | undefined;
  /** Whether a promoted server that has no replica gets a new one, for as long as the old primary is away. */
  readonly spare: boolean;
  /** Whether replicas accept writes: `replica-read-only no`. */
  readonly writableReplicas: boolean;
  readonly demand: Demand;
  readonly table: TablePlan;
  readonly faults: readonly PlannedFault[];
}

/** All of it but what goes wrong, and what holds the segments. */
export type DrawnPlan = Omit<Plan, 'faults' | 'table' | 'uses'>;

/**
 * Generators in a run: beyond, each process serves some of the sequences only, as
 * processes of a large fleet do.
 */
export const MOST_GENERATORS = 2_000;

/** The sequences of which process `number`, from 1, has a generator: all of them, or its turn of them. */
export function sequencesOf({ processes, sequences }: Plan, number: number): readonly string[] {
  const count = Math.max(1, Math.floor(MOST_GENERATORS / processes));
  if (count >= sequences.length) return sequences;
  const first = (number - 1) * count;
  return Array.from({ length: count }, (_, i) => sequences[(first + i) % sequences.length] as string);
}
