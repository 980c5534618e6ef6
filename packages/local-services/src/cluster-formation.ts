import { askCluster, type RedisClusterNode } from './cluster-node.js';
import { slotCount, viewOf } from './cluster-view.js';
import { pollUntil } from './poll-until.js';
import { withRedis } from './with-redis.js';

const formTimeoutMs = 60_000;

/**
 * Makes the first `masters` nodes share the slots and the others their replicas; resolves
 * when all report state ok.
 */
export async function formCluster(nodes: readonly RedisClusterNode[], masters: number): Promise<void> {
  const [first, ...others] = nodes;
  if (!first) return;
  // Epochs that differ from the start spare the nodes the sorting out of collisions.
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
