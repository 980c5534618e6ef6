import type { IdGenerator } from '@ids/core';
import { Redis } from 'ioredis';
import { createRedisSegmentGenerator } from '../../src/index.js';
import { type Mutant, mutate } from './mutant.js';
import { type Note, noteEvents } from './note-events.js';
import { connected, owningClient } from './owned-client.js';
import type { Context } from './subject.js';

/** Where Sentinels tell which server is the primary of a group. */
interface SentinelGroup {
  readonly name: string;
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
}

/** One sequence on a group of servers. */
export interface SentinelContext extends Omit<Context, 'redis'> {
  readonly group: SentinelGroup;
  readonly mutant: Mutant | undefined;
}

export async function open(
  { group, mutant, ...options }: SentinelContext,
  note?: Note,
): Promise<IdGenerator> {
  const client = sentinelClient(group);
  const redis = mutant === undefined ? client : mutate(client, mutant);
  const onEvent = noteEvents(note);
  await connected(client);
  return owningClient(await createRedisSegmentGenerator({ ...options, redis, onEvent }), client);
}

/** A client that asks Sentinels for the primary. */
function sentinelClient({ name, sentinels }: SentinelGroup): Redis {
  const client = new Redis({
    name,
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  });
  client.on('error', () => {
    // Servers are killed on purpose; whoever calls sees it as a rejection.
  });
  return client;
}
