import type { ClusterPlan } from './cluster-plan.js';

/** What a seed decides about every world before its run begins. */
export interface BasePlan {
  readonly seed: number;
  /** Milliseconds of virtual time under load. */
  readonly runMs: number;
  readonly processes: number;
  readonly options: {
    readonly deadlineMs: number;
    /** How many replicas must confirm what a process takes. */
    readonly waitReplicas: number;
    /** Undefined if there is no bound. */
    readonly maxIdsLost?: number | undefined;
  };
  /** Per server that dispenses. */
  readonly replicas: number;
  /** Undefined for a single server with its replicas. */
  readonly cluster: ClusterPlan | undefined;
  /** Whether a promoted server without a replica gets a new one while the old primary is away. */
  readonly spare: boolean;
  readonly splitBrain: boolean;
  /** Whether replicas accept writes: `replica-read-only no`. */
  readonly writableReplicas: boolean;
  readonly resends: boolean;
  readonly maxResends: number;
  readonly reconnectsOnReadonly: boolean;
  readonly cpuTickUs: number;
  /** How much the clock rates of two processes may differ. */
  readonly drift: number;
  readonly timerLag: number;
  /**
   * The latency of slow connections in milliseconds, and the share of connections that is slow from the
   * start.
   */
  readonly slowMs: number;
  readonly slowShare: number;
  /** The share of connections that loses replies from the start, and the share of their replies. */
  readonly lossyShare: number;
  readonly loss: number;
  /** The maximum latency of the table from the start, in milliseconds. */
  readonly tableMs: number;
}
