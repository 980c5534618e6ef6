import getPort from 'get-port';
import { freePort, onFreePort } from './on-free-port.js';
import { pollUntil } from './poll-until.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { withRedis } from './with-redis.js';

/** The shape of a cluster. */
export interface RedisClusterOptions {
  /** At least 1, 3 by default; fewer than 3 cannot vote for a failover. */
  readonly masters?: number;
  /** 0 by default. */
  readonly replicasPerMaster?: 0 | 1;
}

/** A Redis that is a member of a cluster. */
export interface RedisClusterNode extends RedisServer {
  /** As in `CLUSTER NODES`: 40 hexadecimal digits, kept over a restart. */
  readonly id: string;
}

/** A Redis Cluster, owned by whoever started it. */
export interface RedisCluster extends AsyncDisposable {
  /** First the masters in the order of their slots, then their replicas in the same order. */
  readonly nodes: readonly RedisClusterNode[];
  /** The node that serves the slot (0 to 16383) now, by its own word; the latest epoch wins. */
  ownerOfSlot(slot: number): Promise<RedisClusterNode>;
  /** The node that serves the key's slot now. */
  ownerOfKey(key: string): Promise<RedisClusterNode>;
  /** Ends all nodes. Idempotent. */
  close(): Promise<void>;
}

const slotCount = 16384;
const busPortOffset = 10_000;
const formTimeoutMs = 60_000;
// A dead node is noticed after about this time; the default of 15 s is for real networks.
const nodeTimeoutMs = 2_000;

/** Starts a cluster and waits until every node knows all others and reports `cluster_state:ok`: a few seconds. */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const { masters = 3, replicasPerMaster = 0 } = options;
  if (!Number.isInteger(masters) || masters < 1)
    throw new RangeError(`masters ${masters}: an integer from 1 is accepted`);
  const count = masters * (1 + replicasPerMaster);
  const started = await Promise.allSettled(Array.from({ length: count }, startNode));
  const nodes = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const close = async () => {
    await Promise.all(nodes.map((node) => node.close()));
  };
  try {
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    await form(nodes, masters);
  } catch (error) {
    await close();
    throw error;
  }
  const ownerOfSlot = (slot: number) => findOwner(nodes, slot);
  return {
    nodes,
    ownerOfSlot,
    ownerOfKey: async (key) => ownerOfSlot(await keySlot(nodes, key)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function startNode(): Promise<RedisClusterNode> {
  const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs)];
  const server = await onFreePort((port) => startRedis({ port, args }), freePortWithBus);
  const id = await withRedis(server.url, (client) => client.cluster('MYID') as Promise<string>);
  return Object.assign(server, { id });
}

/** The port of the cluster bus is the port + 10000, which must exist and be free too. */
async function freePortWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    const bus = port + busPortOffset;
    if (bus <= 65535 && (await getPort({ host: '127.0.0.1', port: bus })) === bus) return port;
  }
}

async function form(nodes: readonly RedisClusterNode[], masters: number): Promise<void> {
  const [first, ...others] = nodes;
  if (!first) return;
  // Epochs that differ from the start spare the nodes the sorting out of collisions.
  await Promise.all(
    nodes.map((node, i) => withRedis(node.url, (client) => client.cluster('SET-CONFIG-EPOCH', i + 1))),
  );
  await Promise.all(
    nodes.slice(0, masters).map((node, i) => {
      const low = Math.floor((i * slotCount) / masters);
      const end = Math.floor(((i + 1) * slotCount) / masters);
      const slots = Array.from({ length: end - low }, (_, k) => low + k);
      return withRedis(node.url, (client) => client.cluster('ADDSLOTS', ...slots));
    }),
  );
  await withRedis(first.url, async (client) => {
    for (const { host, port } of others) await client.cluster('MEET', host, port);
  });
  await untilAll(nodes, 'knows all others', async (node) => {
    const lines = await nodeLines(node);
    return lines.length === nodes.length && !lines.some((line) => line.includes('handshake'));
  });
  await Promise.all(
    nodes.slice(masters).map((node, i) => {
      const master = nodes[i];
      return master && withRedis(node.url, (client) => client.cluster('REPLICATE', master.id));
    }),
  );
  await untilAll(nodes, 'reports cluster_state:ok', async (node) => {
    const followers = (await nodeLines(node)).filter((line) => line.includes('slave'));
    if (followers.length !== nodes.length - masters) return false;
    return withRedis(node.url, async (client) => {
      const state = (await client.cluster('INFO')) as string;
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

async function nodeLines(node: RedisClusterNode): Promise<string[]> {
  const text = await withRedis(node.url, (client) => client.cluster('NODES') as Promise<string>);
  return text.trim().split('\n');
}

async function keySlot(nodes: readonly RedisClusterNode[], key: string): Promise<number> {
  const asked = nodes.map((node) => withRedis(node.url, (client) => client.cluster('KEYSLOT', key)));
  return Number(await Promise.any(asked));
}

async function findOwner(nodes: readonly RedisClusterNode[], slot: number): Promise<RedisClusterNode> {
  if (!Number.isInteger(slot) || slot < 0 || slot >= slotCount) {
    throw new RangeError(`slot ${slot}: an integer from 0 to ${slotCount - 1} is accepted`);
  }
  const claims = await Promise.all(
    nodes.map(async (node) => {
      // A node that is down claims nothing.
      const lines = await nodeLines(node).catch(() => []);
      const own = lines.find((line) => line.includes('myself,master'))?.split(' ') ?? [];
      // Fields: id address flags master ping pong epoch link slot...; a slot in transit stands in brackets.
      const ranges = own.slice(8).filter((range) => !range.startsWith('['));
      const owns = ranges.some((range) => {
        const [low, high = low] = range.split('-').map(Number);
        return low !== undefined && high !== undefined && low <= slot && slot <= high;
      });
      return { node, epoch: owns ? Number(own[6]) : -1 };
    }),
  );
  const best = claims.reduce((a, b) => (b.epoch > a.epoch ? b : a));
  if (best.epoch < 0) throw new Error(`no running node serves slot ${slot}`);
  return best.node;
}
