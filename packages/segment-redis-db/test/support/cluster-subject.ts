import type { IdGenerator } from '@ids/core';
import { Cluster } from 'ioredis';
import { createRedisSegmentGenerator } from '../../src/index.js';
import { type Note, noteEvents } from './note-events.js';
import { connected, owningClient } from './owned-client.js';
import type { Context } from './subject.js';

/** One sequence on a cluster. */
export interface ClusterContext extends Omit<Context, 'redis'> {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
}

export async function open({ nodes, ...options }: ClusterContext, note?: Note): Promise<IdGenerator> {
  const redis = clusterClient(nodes);
  const onEvent = noteEvents(note);
  await connected(redis);
  return owningClient(await createRedisSegmentGenerator({ ...options, redis, onEvent }), redis);
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
