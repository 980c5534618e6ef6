import {
  askCluster,
  type ClusterView,
  findOwner,
  ownsSlot,
  type RedisClusterNode,
  viewOf,
} from './cluster-node.js';

import { pollUntil } from './poll-until.js';
import { withRedis } from './with-redis.js';

const changeTimeoutMs = 30_000;
// Redis gives a manual failover 5 s, and gives up silently if the voters decline: they vote for a change of
// one shard only once within twice the node timeout.
const failoverTimeoutMs = 6_000;
const failoverAttempts = 3;
const migrateTimeoutMs = 5_000;
const keysAtOnce = 100;

/** Moves a slot with its keys while clients keep working, in the steps of `redis-cli --cluster reshard`. */
export async function moveSlot(
  nodes: readonly RedisClusterNode[],
  slot: number,
  to: RedisClusterNode,
): Promise<void> {
  const from = await findOwner(nodes, slot);
  if (from === to) return;
  await askCluster(to, 'SETSLOT', slot, 'IMPORTING', from.id);
  await askCluster(from, 'SETSLOT', slot, 'MIGRATING', to.id);
  await withRedis(from.url, async (client) => {
    for (;;) {
      const keys = (await client.call('CLUSTER', 'GETKEYSINSLOT', slot, keysAtOnce)) as string[];
      if (keys.length === 0) return;
      await client.call('MIGRATE', to.host, to.port, '', 0, migrateTimeoutMs, 'KEYS', ...keys);
    }
  });
  // The new owner first: if the old one died in between, no node would serve the slot.
  for (const node of [to, from]) await askCluster(node, 'SETSLOT', slot, 'NODE', to.id);
  await untilAllSee(nodes, `${to.url} serves slot ${slot}`, to, (seen) => ownsSlot(seen, slot));
}

/** Makes a replica the master of its shard; resolves when every running node knows. */
export async function failOver(
  nodes: readonly RedisClusterNode[],
  replica: RedisClusterNode,
  mode: 'FORCE' | 'TAKEOVER' | undefined,
): Promise<void> {
  const promoted = () =>
    allSee(nodes, replica, ({ flags, slots }) => flags.includes('master') && slots.length > 0);
  for (let attempt = 1; attempt <= failoverAttempts; attempt++) {
    await askCluster(replica, 'FAILOVER', ...(mode === undefined ? [] : [mode]));
    if (await pollUntil(promoted, failoverTimeoutMs)) return;
  }
  throw new Error(`${replica.url} did not become a master, or not every node heard of it`);
}

/** A replica that is in sync with `master` and that every running node knows as its replica. */
export async function replicaOf(
  nodes: readonly RedisClusterNode[],
  master: RedisClusterNode,
): Promise<RedisClusterNode> {
  let found: RedisClusterNode | undefined;
  const synced = await pollUntil(async () => {
    const info = await withRedis(master.url, (client) => client.info('replication'));
    const ports = [...info.matchAll(/^slave\d+:.*port=(\d+),state=online/gm)].map(([, port]) => Number(port));
    found = nodes.find(({ port }) => ports.includes(port));
    return found !== undefined;
  }, changeTimeoutMs);
  if (!synced || !found) throw new Error(`no replica of ${master.url} after ${changeTimeoutMs / 1000} s`);
  // A master ignores a failover request from a node that it does not know as its replica yet.
  const what = `${found.url} is a replica of ${master.url}`;
  await untilAllSee(nodes, what, found, ({ masterId }) => masterId === master.id);
  return found;
}

async function untilAllSee(
  nodes: readonly RedisClusterNode[],
  what: string,
  subject: RedisClusterNode,
  holds: (seen: ClusterView) => boolean,
): Promise<void> {
  if (await pollUntil(() => allSee(nodes, subject, holds), changeTimeoutMs)) return;
  throw new Error(`not every node agreed after ${changeTimeoutMs / 1000} s that ${what}`);
}

/** Whether `holds` is true for how every running node sees `subject`. */
async function allSee(
  nodes: readonly RedisClusterNode[],
  subject: RedisClusterNode,
  holds: (seen: ClusterView) => boolean,
): Promise<boolean> {
  const views = (await Promise.all(nodes.map(viewOf))).filter((view) => view.length > 0);
  return views.every((view) => view.some((seen) => seen.id === subject.id && holds(seen)));
}
