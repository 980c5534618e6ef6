import type { IdGenerator } from '@ids/core';
import type { ClusterContext } from './cluster-subject.js';
import { connectToCluster } from './connect-in-process.js';
import { openKey } from './keyed-subject.js';
import type { Note } from './note-events.js';
import { owningClient } from './owned-client.js';

/** One key of a family on a cluster. */
export async function open({ nodes, client, ...context }: ClusterContext, note?: Note): Promise<IdGenerator> {
  const connected = await connectToCluster(nodes, client);
  return owningClient(await openKey({ ...context, redis: connected.client }, note), connected);
}
