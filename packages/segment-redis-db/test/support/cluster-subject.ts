import type { IdGenerator } from '@ids/core';
import { createSegmentRedisDbGenerator } from '../../src/index.js';
import { type Address, connectToCluster } from './connect-in-process.js';
import { type Note, noteEvents } from './note-events.js';
import { owningClient } from './owned-client.js';
import type { Context } from './subject.js';

/** One sequence on a cluster. */
export interface ClusterContext extends Omit<Context, 'redis'> {
  readonly nodes: readonly Address[];
}

export async function open({ nodes, client, ...options }: ClusterContext, note?: Note): Promise<IdGenerator> {
  const connected = await connectToCluster(nodes, client);
  const { client: redis } = connected;
  const onEvent = noteEvents(note);
  return owningClient(await createSegmentRedisDbGenerator({ ...options, redis, onEvent }), connected);
}
