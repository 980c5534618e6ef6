import { Random } from '../random.js';
import { CLUSTER_FAULTS, type FaultName } from './fault-names.js';
import { type PlannedFault, scatterFaults } from './scatter-faults.js';

/** What a seed decides about its Redis Cluster. */
export interface ClusterPlan {
  readonly masters: number;
  /** Replicas of each master: 0 or 1. */
  readonly replicas: number;
  /** After so many milliseconds alone a master refuses. */
  readonly nodeTimeoutMs: number;
  /** Milliseconds that a message between two nodes is under way, at most. */
  readonly gossipMs: number;
  /** Milliseconds between two steps of an operator, at most. */
  readonly stepMs: number;
  readonly waitReplicas: number;
  /**
   * How often clients ask for the slots anew. Undefined, as is the default of ioredis: when a single
   * command is sent elsewhere.
   */
  readonly refreshMs: number | undefined;
  /** Whether masters may be cut off from the others, and taken over from while they still serve. */
  readonly partitions: boolean;
}

/** The share of the seeds that run with a Cluster. */
const SHARE = 0.3;

/** Drawn from a stream of its own, so that what other seeds draw stays as it is. */
export function clusterPlanOf(seed: number): ClusterPlan | undefined {
  const random = new Random(seed, 'cluster');
  if (!random.chance(SHARE)) return undefined;
  const replicas = random.pick([0, 1, 1, 1]);
  const waitReplicas = random.chance(0.3) ? replicas : 0;
  const [masters, nodeTimeoutMs] = [random.between(2, 3), random.magnitude(50, 1_500)];
  const [gossipMs, stepMs] = [random.magnitude(0.5, 50), random.magnitude(0.5, 200)];
  const refreshMs = waitReplicas > 0 ? random.magnitude(50, 500) : undefined;
  return {
    masters,
    replicas,
    nodeTimeoutMs,
    gossipMs,
    stepMs,
    waitReplicas,
    refreshMs: new Random(seed, 'refresh').chance(0.2) ? refreshMs : undefined,
    partitions: replicas > 0 && random.chance(0.3),
  };
}

/** Faults of Clusters, on top of the others. */
export function clusterFaultsOf(seed: number, runMs: number, from: number): PlannedFault[] {
  const random = new Random(seed, 'cluster faults');
  const rates = new Map<FaultName, number>();
  for (let kinds = random.pick([1, 2, 3]); kinds > 0; kinds--) {
    rates.set(random.pick<FaultName>(CLUSTER_FAULTS), random.magnitude(0.5, 4));
  }
  // What the Cluster's epoch is for takes three steps in a row.
  if (new Random(seed, 'older hash').chance(0.4)) rates.set('bring home an older hash', 4);
  return scatterFaults(random, { runMs, rates, gapMs: random.magnitude(30, 400), echo: 0, from });
}
