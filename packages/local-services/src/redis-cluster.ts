import { failOver, moveSlot, replicaOf } from './cluster-changes.js';
import {
  askCluster,
  findOwner,
  type RedisClusterNode,
  slotCount,
  slotOfKey,
  startClusterNode,
  viewOf,
} from './cluster-node.js';
import { pollUntil } from './poll-until.js';
import { breakLink, mendLink } from './redis-replication.js';
import { withRedis } from './with-redis.js';

/** The size of a cluster. */
export interface RedisClusterOptions {
  /** At least 1, 3 by default; fewer than 3 cannot vote for a failover. */
  readonly masters?: number;
  /** 0 by default. */
  readonly replicasPerMaster?: 0 | 1;
}

/** A Redis Cluster, owned by whoever started it. */
export interface RedisCluster extends AsyncDisposable {
  /**
   * At first the masters in the order of their slots, then their replicas in the same order; roles may change
   * later.
   */
  readonly nodes: readonly RedisClusterNode[];
  /** 0 to 16383. */
  slotOfKey(key: string): Promise<number>;
  /** The node that currently claims the slot (0 to 16383) for itself; the latest epoch wins. */
  ownerOfSlot(slot: number): Promise<RedisClusterNode>;
  /** The node that currently serves the key's slot. */
  ownerOfKey(key: string): Promise<RedisClusterNode>;
  /** A replica that is in sync with `master`: waits up to 30 s for one. */
  replicaOf(master: RedisClusterNode): Promise<RedisClusterNode>;
  /**
   * Moves a slot with its keys to another master while clients keep working: `SETSLOT IMPORTING`, `SETSLOT
   * MIGRATING`, `MIGRATE`, `SETSLOT NODE`. Resolves when every running node knows.
   */
  moveSlot(slot: number, to: RedisClusterNode): Promise<void>;
  /**
   * Sends `CLUSTER FAILOVER` to a replica. Without a mode, its master must be alive and coordinates the
   * handover. `FORCE` does not need the master, `TAKEOVER` does not need the votes of the other masters
   * either. Resolves when every running node knows.
   */
  failover(replica: RedisClusterNode, mode?: 'FORCE' | 'TAKEOVER'): Promise<void>;
  /** Makes a replica of `master` lag: it keeps the data it has. */
  breakLink(master: RedisClusterNode, replica: RedisClusterNode): Promise<void>;
  /** Lets a node follow its master again after `breakLink`. */
  mendLink(node: RedisClusterNode): Promise<void>;
  /** Ends all nodes. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a cluster and waits until every node knows all others and reports `cluster_state:ok`. Takes a few
 * seconds.
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

const formTimeoutMs = 60_000;

/**
 * Divides the slots among the first `masters` nodes and makes the others their replicas. Resolves when all
 * nodes report the state ok.
 */
async function formCluster(nodes: readonly RedisClusterNode[], masters: number): Promise<void> {
  const [first, ...others] = nodes;
  if (!first) return;
  // With different epochs from the start, the nodes need not resolve collisions.
  await Promise.all(nodes.map((node, i) => askCluster(node, 'SET-CONFIG-EPOCH', i + 1)));
  await Promise.all(
    nodes.slice(0, masters).map((node, i) => {
      const low = Math.floor((i * slotCount) / masters);
      const end = Math.floor(((i + 1) * slotCount) / masters);
      return askCluster(node, 'ADDSLOTS', ...Array.from({ length: end - low }, (_, k) => low + k));
    }),
  );
  for (const { host, port } of others) await askCluster(first, 'MEET', host, port);
  await untilAll(nodes, 'knows all others', async (node) => {
    const view = await viewOf(node);
    return view.length === nodes.length && !view.some(({ flags }) => flags.includes('handshake'));
  });
  await Promise.all(
    nodes.slice(masters).map((node, i) => {
      const master = nodes[i];
      return master && askCluster(node, 'REPLICATE', master.id);
    }),
  );
  await untilAll(nodes, 'reports cluster_state:ok', async (node) => {
    const followers = (await viewOf(node)).filter(({ flags }) => flags.includes('slave'));
    if (followers.length !== nodes.length - masters) return false;
    return withRedis(node.url, async (client) => {
      const state = String(await client.cluster('INFO'));
      return (
        state.includes('cluster_state:ok') && !(await client.info('replication')).includes('link_status:down')
      );
    });
  });
}

async function untilAll(
  nodes: readonly RedisClusterNode[],
  what: string,
  probe: (node: RedisClusterNode) => Promise<boolean>,
): Promise<void> {
  for (const node of nodes) {
    if (await pollUntil(() => probe(node), formTimeoutMs)) continue;
    throw new Error(`the cluster did not form: after ${formTimeoutMs / 1000} s not every node ${what}`);
  }
}
