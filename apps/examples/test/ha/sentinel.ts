import { groupOfSentinels, startRedisSentinel } from '@ids/local-services';
import { Redis } from 'ioredis';
import { createSentinel } from 'redis';
import { openRoutes } from './routes.js';
import { ofIoredis, ofNodeRedis, type Stack, stackOfRedis } from './stack.js';

/** A primary with a replica: clients that ask the Sentinels, and URLs that somebody leads to the primary. */
export async function sentinelStack(planned: boolean): Promise<Stack> {
  const servers = await startRedisSentinel();
  const group = groupOfSentinels(servers);
  const { name } = servers;
  const sentinels = servers.sentinels.map(({ host, port }) => ({ host, port }));
  // As docs/operations/segment-redis-db.md says.
  const options = {
    name,
    sentinels,
    maxRetriesPerRequest: 1,
    socketTimeout: 1_500,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, 1_000),
    reconnectOnError: ({ message }: Error) => (message.startsWith('READONLY') ? 2 : false),
  } as const;
  const clients = {
    ioredis: async () => ofIoredis(new Redis(options)),
    redis: () => ofNodeRedis(createSentinel({ name, sentinelRootNodes: sentinels })),
  };
  return stackOfRedis(group, clients, await openRoutes(group, planned));
}
