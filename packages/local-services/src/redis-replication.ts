import { type FaultProxy, startFaultProxy } from './fault-proxy.js';
import { pollUntil } from './poll-until.js';
import { type RedisServer, startRedis } from './redis-server.js';

import { withRedis } from './with-redis.js';

/** How many replicas, and how they are connected. */
export interface RedisReplicationOptions {
  /** At least 1, which is the default. */
  readonly replicas?: number;
  /** Puts a proxy between each replica and the primary, to make a replica lag; `false` by default. */
  readonly throughProxy?: boolean;
}

/** A primary and its replicas, owned by whoever started them. */
export interface RedisReplication extends AsyncDisposable {
  readonly primary: RedisServer;
  readonly replicas: readonly RedisServer[];
  /** `links[i]` carries what the primary sends to `replicas[i]`; empty without `throughProxy`. */
  readonly links: readonly FaultProxy[];
  /**
   * Promotes a replica with the data it has. No other server is informed: the old primary keeps accepting
   * writes and the other replicas follow it, as in a split brain. A restart makes it a replica again.
   */
  promote(replica: RedisServer): Promise<void>;
  /** Ends all servers. Idempotent. */
  close(): Promise<void>;
}

const syncTimeoutMs = 30_000;

/** Starts a primary with replicas and waits until every replica is online and has all data. */
export async function startRedisReplication(
  options: RedisReplicationOptions = {},
): Promise<RedisReplication> {
  const { replicas: count = 1, throughProxy = false } = options;
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`replicas ${count}: an integer from 1 is accepted`);
  const primary = await startRedis();
  const links: FaultProxy[] = [];
  const replicas: RedisServer[] = [];
  const close = async () => {
    await Promise.all([...replicas, ...links, primary].map((one) => one.close()));
  };
  try {
    for (let i = 0; i < count; i++) {
      if (throughProxy) links.push(await startFaultProxy({ target: primary }));
      const { host, port } = links[i] ?? primary;
      replicas.push(await startRedis({ args: ['--replicaof', host, String(port)] }));
    }
    const synced = await pollUntil(() => inSync(primary, replicas), syncTimeoutMs);
    if (!synced) throw new Error(`the replicas were not in sync after ${syncTimeoutMs / 1000} s`);
  } catch (error) {
    await close();
    throw error;
  }
  const promote = (replica: RedisServer) =>
    withRedis(replica.url, async (client) => void (await client.replicaof('NO', 'ONE')));
  return { primary, replicas, links, promote, close, [Symbol.asyncDispose]: close };
}

/**
 * A link that is up and the state online are not enough: the primary sends nothing to a replica until its
 * first acknowledgement, up to a second later.
 */
async function inSync(primary: RedisServer, replicas: readonly RedisServer[]): Promise<boolean> {
  const online = (await replicationInfo(primary)).match(/^slave\d+:.*state=online/gm)?.length ?? 0;
  if (online < replicas.length) return false;
  const views = await Promise.all(replicas.map(replicationInfo));
  if (!views.every((view) => view.includes('master_link_status:up'))) return false;
  return withRedis(primary.url, async (client) => {
    await client.publish('in-sync', ''); // It goes to every replica and changes no data.
    return (await client.wait(replicas.length, syncTimeoutMs)) === replicas.length;
  });
}

function replicationInfo(server: RedisServer): Promise<string> {
  return withRedis(server.url, (client) => client.info('replication'));
}

/**
 * Cuts `replica` off from `primary`, which then rejects it as after a password change on one side. For
 * servers that learn each other's addresses, so that no proxy can be put between them.
 */
export async function breakLink(primary: RedisServer, replica: RedisServer): Promise<void> {
  await withRedis(replica.url, (client) => client.config('SET', 'masterauth', 'not the password'));
  await withRedis(primary.url, (client) => client.call('CLIENT', 'KILL', 'TYPE', 'replica'));
}

/** Lets a server follow a primary again after `breakLink`. */
export async function mendLink(server: RedisServer): Promise<void> {
  await withRedis(server.url, (client) => client.config('SET', 'masterauth', ''));
}
