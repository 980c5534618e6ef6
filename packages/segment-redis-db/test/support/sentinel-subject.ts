import type { IdGenerator } from '@ids/core';
import { createSegmentRedisDbGenerator } from '../../src/index.js';
import { connectToSentinel, type SentinelGroup } from './connect-in-process.js';
import { type Mutant, mutate } from './mutant.js';
import { type Note, noteEvents } from './note-events.js';
import { owningClient } from './owned-client.js';
import type { Context } from './subject.js';

/** One sequence on a group of servers. */
export interface SentinelContext extends Omit<Context, 'redis'> {
  readonly group: SentinelGroup;
  readonly mutant: Mutant | undefined;
}

export async function open(
  { group, mutant, client, ...options }: SentinelContext,
  note?: Note,
): Promise<IdGenerator> {
  const connected = await connectToSentinel(group, client);
  const redis = mutant === undefined ? connected.client : mutate(connected.redis, mutant);
  const onEvent = noteEvents(note);
  return owningClient(await createSegmentRedisDbGenerator({ ...options, redis, onEvent }), connected);
}
