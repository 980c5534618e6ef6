import { failOver, moveSlot, replicaOf } from './cluster-changes.js';
import { formCluster } from './cluster-formation.js';
import { type RedisClusterNode, startClusterNode } from './cluster-node.js';
import { findOwner, slotOfKey } from './cluster-view.js';
import { breakLink, mendLink } from './redis-replication.js';

/** The shape of a cluster. */
export interface RedisClusterOptions {
  /** At least 1, 3 by default; fewer than 3 cannot vote for a failover. */
  readonly masters?: number;
  /** 0 by default. */
  readonly replicasPerMaster?: 0 | 1;
}

/** A Redis Cluster, owned by whoever started it. */
export interface RedisCluster extends AsyncDisposable {
  /**
   * First the masters in the order of their slots, then their replicas in the same order: roles change later.
   */
  readonly nodes: readonly RedisClusterNode[];
  /** 0 to 16383. */
  slotOfKey(key: string): Promise<number>;
  /** The node that serves the slot (0 to 16383) now, by its own word; the latest epoch wins. */
  ownerOfSlot(slot: number): Promise<RedisClusterNode>;
  /** The node that serves the key's slot now. */
  ownerOfKey(key: string): Promise<RedisClusterNode>;
  /** A replica that is in sync with `master`: waits for one, at most 30 s. */
  replicaOf(master: RedisClusterNode): Promise<RedisClusterNode>;
  /**
   * Moves a slot with its keys to another master while clients go on: `SETSLOT IMPORTING`, `SETSLOT
   * MIGRATING`, `MIGRATE`, `SETSLOT NODE`. Resolves when every running node has heard of it.
   */
  moveSlot(slot: number, to: RedisClusterNode): Promise<void>;
  /**
   * `CLUSTER FAILOVER` sent to a replica. Without a mode its master must be alive and hands over in step;
   * `FORCE` does without the master, `TAKEOVER` without the votes of the others too. Resolves when every
   * running node has heard of it.
   */
  failover(replica: RedisClusterNode, mode?: 'FORCE' | 'TAKEOVER'): Promise<void>;
  /** Makes a replica of `master` lag: it keeps the data it has by now. */
  breakLink(master: RedisClusterNode, replica: RedisClusterNode): Promise<void>;
  /** Lets a node whose link was broken follow its master again. */
  mendLink(node: RedisClusterNode): Promise<void>;
  /** Ends all nodes. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a cluster and waits until every node knows all others and reports `cluster_state:ok`: a few seconds.
 */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const { masters = 3, replicasPerMaster = 0 } = options;
  if (!Number.isInteger(masters) || masters < 1)
    throw new RangeError(`masters ${masters}: an integer from 1 is accepted`);
  const count = masters * (1 + replicasPerMaster);
  const started = await Promise.allSettled(Array.from({ length: count }, startClusterNode));
  const nodes = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const close = async () => {
    await Promise.all(nodes.map((node) => node.close()));
  };
  try {
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    await formCluster(nodes, masters);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    nodes,
    slotOfKey: (key) => slotOfKey(nodes, key),
    ownerOfSlot: (slot) => findOwner(nodes, slot),
    ownerOfKey: async (key) => findOwner(nodes, await slotOfKey(nodes, key)),
    replicaOf: (master) => replicaOf(nodes, master),
    moveSlot: (slot, to) => moveSlot(nodes, slot, to),
    failover: (replica, mode) => failOver(nodes, replica, mode),
    breakLink,
    mendLink,
    close,
    [Symbol.asyncDispose]: close,
  };
}
