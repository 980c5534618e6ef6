import type { IdGenerator } from '@ids/core';
import { Cluster } from 'ioredis';
import { createRedisSegmentGenerator } from '../../src/index.js';
import { owningClient } from './owned-client.js';
import type { Context } from './subject.js';

/** One sequence on a cluster. */
export interface ClusterContext extends Omit<Context, 'redis'> {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
}

export async function open({ nodes, ...options }: ClusterContext): Promise<IdGenerator> {
  const redis = clusterClient(nodes);
  return owningClient(await createRedisSegmentGenerator({ ...options, redis }), redis);
}

/** A client of the whole cluster. */
export function clusterClient(nodes: ClusterContext['nodes']): Cluster {
  const client = new Cluster(
    nodes.map(({ host, port }) => ({ host, port })),
    { redisOptions: { maxRetriesPerRequest: 1 } },
  );
  client.on('error', () => {
    // Nodes are killed on purpose; whoever calls sees it as a rejection.
  });
  return client;
}
