import type { IdGenerator } from '@ids/core';
import { Cluster } from 'ioredis';
import { createRedisSegmentGenerator } from '../../src/index.js';
import type { Context } from './subject.js';

/** One sequence on a cluster. */
export interface ClusterContext extends Omit<Context, 'redis'> {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
}

export function open({ nodes, ...options }: ClusterContext): Promise<IdGenerator> {
  return createRedisSegmentGenerator({ ...options, redis: clusterClient(nodes) });
}

/** A client of the whole cluster; whoever opened it may end with it open. */
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
