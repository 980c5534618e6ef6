import getPort from 'get-port';
import { freePort, onFreePort } from './on-free-port.js';
import type { RedisServer } from './redis-process.js';
import { startRedis } from './redis-server.js';
import { withRedis } from './with-redis.js';

/** A Redis that is a member of a cluster. */
export interface RedisClusterNode extends RedisServer {
  /** As in `CLUSTER NODES`: 40 hexadecimal digits, kept over a restart. */
  readonly id: string;
}

const busPortOffset = 10_000;
// A dead node is noticed after about this time; the default of 15 s is for real networks.
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

/** The port of the cluster bus is the port + 10000, which must exist and be free too. */
async function freePortWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    const bus = port + busPortOffset;
    if (bus <= 65535 && (await getPort({ host: '127.0.0.1', port: bus })) === bus) return port;
  }
}
