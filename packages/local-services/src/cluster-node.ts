import { busPortOffset, freePort, isFree, onFreePort } from './ports.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { withRedis } from './with-redis.js';

/** A Redis that is a member of a cluster. */
export interface RedisClusterNode extends RedisServer {
  /** As in `CLUSTER NODES`: 40 hexadecimal digits, kept across restarts. */
  readonly id: string;
}

// A dead node is detected after about this time; the default of 15 s is for real networks.
const nodeTimeoutMs = 2_000;

export async function startClusterNode(): Promise<RedisClusterNode> {
  const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs)];
  const server = await onFreePort((port) => startRedis({ port, args }), freePortWithBus);
  const id = (await askCluster(server, 'MYID')) as string;
  return Object.assign(server, { id });
}

/** Sends a node the command `CLUSTER ...`. */
export function askCluster(node: RedisServer, ...words: readonly (string | number)[]): Promise<unknown> {
  return withRedis(node.url, (client) => client.call('CLUSTER', ...words));
}

/** A port whose bus has a free port too. */
async function freePortWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (await isFree(port + busPortOffset)) return port;
  }
}

/** What one node reports about another, or about itself: a line of `CLUSTER NODES`. */
export interface ClusterView {
  readonly id: string;
  /** Such as `myself`, `master`, `slave`, `fail`, `handshake`. */
  readonly flags: readonly string[];
  /** The id of the master that a replica follows, `-` for a master. */
  readonly masterId: string;
  readonly epoch: number;
  /** Inclusive; slots in transit are left out. */
  readonly slots: readonly (readonly [low: number, high: number])[];
}

export const slotCount = 16384;

/** How `node` sees the cluster; empty if the node is down. */
export async function viewOf(node: RedisClusterNode): Promise<ClusterView[]> {
  const text = await askCluster(node, 'NODES').catch(() => '');
  return String(text).trim().split('\n').filter(Boolean).map(parseLine);
}

// Fields: id address flags master ping pong epoch link slot...; a slot in transit is in brackets.
function parseLine(line: string): ClusterView {
  const [id = '', , flags = '', masterId = '', , , epoch, , ...ranges] = line.split(' ');
  const slots = ranges
    .filter((range) => !range.startsWith('['))
    .map((range) => range.split('-').map(Number))
    .map(([low = 0, high = low]) => [low, high] as const);
  return { id, flags: flags.split(','), masterId, epoch: Number(epoch), slots };
}

export function ownsSlot(view: ClusterView, slot: number): boolean {
  return view.flags.includes('master') && view.slots.some(([low, high]) => low <= slot && slot <= high);
}

/** The running node that claims `slot` for itself; the latest epoch wins. */
export async function findOwner(nodes: readonly RedisClusterNode[], slot: number): Promise<RedisClusterNode> {
  assertSlot(slot);
  const claims = await Promise.all(
    nodes.map(async (node) => {
      const own = (await viewOf(node)).find(({ id }) => id === node.id);
      return { node, epoch: own && ownsSlot(own, slot) ? own.epoch : -1 };
    }),
  );
  const best = claims.reduce((a, b) => (b.epoch > a.epoch ? b : a));
  if (best.epoch < 0) throw new Error(`no running node serves slot ${slot}`);
  return best.node;
}

export async function slotOfKey(nodes: readonly RedisClusterNode[], key: string): Promise<number> {
  return Number(await Promise.any(nodes.map((node) => askCluster(node, 'KEYSLOT', key))));
}

function assertSlot(slot: number): void {
  if (Number.isInteger(slot) && slot >= 0 && slot < slotCount) return;
  throw new RangeError(`slot ${slot}: an integer from 0 to ${slotCount - 1} is accepted`);
}
