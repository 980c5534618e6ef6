import { openIoredis } from '../../src/open-ioredis.js';
import { openNodeRedis } from '../../src/open-node-redis.js';
import { currentClient } from './client-names.js';
import { type Connected, connected, ofIoredis, ofNodeRedis, quiet } from './connected-client.js';

/*
 * How the processes of a test connect. Each loads the package of its client and not the other one, which
 * would take longer than all the rest of its start.
 */

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where Sentinels tell which server is the primary of a group. */
export interface SentinelGroup {
  readonly name: string;
  readonly sentinels: readonly Address[];
}

/** Connects as the generator itself connects to a URL where only this package is installed. */
export async function openUrl(url: string, name = currentClient()): Promise<Connected> {
  const opening =
    name === 'ioredis'
      ? openIoredis(await import('ioredis'), url)
      : openNodeRedis(await import('redis'), url);
  const { redis, close } = await opening;
  return { client: redis, redis, disconnect: () => void close() };
}

/** Connects to a whole cluster. */
export async function connectToCluster(
  nodes: readonly Address[],
  name = currentClient(),
): Promise<Connected> {
  if (name === 'ioredis') {
    const { Cluster } = await import('ioredis');
    const addresses = nodes.map(({ host, port }) => ({ host, port }));
    const client = quiet(new Cluster(addresses, { redisOptions: { maxRetriesPerRequest: 1 } }));
    await connected(client);
    return ofIoredis(client);
  }
  const { createCluster } = await import('redis');
  const rootNodes = nodes.map(({ host, port }) => ({ socket: { host, port } }));
  const client = quiet(createCluster({ rootNodes }));
  await client.connect();
  return ofNodeRedis(client);
}

/** Connects to the primary that Sentinels name. */
export async function connectToSentinel(group: SentinelGroup, name = currentClient()): Promise<Connected> {
  const sentinels = group.sentinels.map(({ host, port }) => ({ host, port }));
  if (name === 'ioredis') {
    const { Redis } = await import('ioredis');
    const client = new Redis({
      name: group.name,
      sentinels,
      maxRetriesPerRequest: 1,
      retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
      reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
    });
    await connected(quiet(client));
    return ofIoredis(client);
  }
  const { createSentinel } = await import('redis');
  const client = quiet(createSentinel({ name: group.name, sentinelRootNodes: sentinels }));
  await client.connect();
  return ofNodeRedis(client);
}
