import type { IdGenerator } from '@ids/core';
import { connectToSentinel } from './connect-in-process.js';
import { openKey } from './keyed-subject.js';
import type { Note } from './note-events.js';
import { owningClient } from './owned-client.js';
import type { SentinelContext } from './sentinel-subject.js';

/** One key of a family on a group of servers. */
export async function open(
  { group, mutant: _, client, ...context }: SentinelContext,
  note?: Note,
): Promise<IdGenerator> {
  const connected = await connectToSentinel(group, client);
  return owningClient(await openKey({ ...context, redis: connected.client }, note), connected);
}
