import { Random } from '../random.js';
import { CLUSTER_FAULTS, type ClusterFaultName, type PlannedFault, scatterFaults } from './planned-faults.js';

/** What a seed decides about its Redis Cluster. */
export interface ClusterPlan {
  readonly masters: number;
  /** Replicas per master: 0 or 1. */
  readonly replicas: number;
  /** After this many milliseconds alone, a master refuses commands. */
  readonly nodeTimeoutMs: number;
  /** The maximum time in transit of a message between two nodes, in milliseconds. */
  readonly gossipMs: number;
  /** The maximum time between two steps of an operator, in milliseconds. */
  readonly stepMs: number;
  readonly waitReplicas: number;
  /**
   * How often clients fetch the slots again, in milliseconds. Undefined, the default of ioredis: after a
   * redirection.
   */
  readonly refreshMs: number | undefined;
  /** Whether a master may be cut off, and replaced while it still serves. */
  readonly partitions: boolean;
}

/** The share of seeds with a Cluster. */
const SHARE = 0.3;

/** Draws from a separate stream, so that other seeds stay as they are. */
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

/** Cluster faults, in addition to the others. */
export function clusterFaultsOf(seed: number, runMs: number, from: number): PlannedFault<ClusterFaultName>[] {
  const random = new Random(seed, 'cluster faults');
  const rates = new Map<ClusterFaultName, number>();
  for (let kinds = random.pick([1, 2, 3]); kinds > 0; kinds--) {
    rates.set(random.pick(CLUSTER_FAULTS), random.magnitude(0.5, 4));
  }
  // The case that needs the Cluster's epoch takes three steps in a row.
  if (new Random(seed, 'older hash').chance(0.4)) rates.set('bring home an older hash', 4);
  return scatterFaults(random, { runMs, rates, gapMs: random.magnitude(30, 400), echo: 0, from });
}
