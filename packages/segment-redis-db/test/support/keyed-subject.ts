import type { IdGenerator, KeyedIdGenerator } from '@ids/core';
import { ensureKeyedSchema } from '@ids/keyed/sql';
import type { SequenceGroup } from '@ids/segment';
import { createSequence } from '@ids/segment/sql';
import { fromPgUrl } from '@ids/store/postgres';
import { createKeyedSegmentRedisDbGenerator, type RedisClient } from '../../src/index.js';
import { currentClient } from './client-names.js';
import { openUrl } from './connect-in-process.js';
import type { Note } from './note-events.js';
import { owningClient } from './owned-client.js';
import type { Context } from './subject.js';

/** The key of which all processes of a recording issue. */
const HOT = 'hot';

/** What `createContext` is for one sequence. */
export async function createKeyedContext(
  redis: string,
  database: string,
  unique: string,
  group?: SequenceGroup,
): Promise<Context> {
  const context: Context = { redis, database, table: unique, keyPrefix: `${unique}:`, name: 'message' };
  const executor = await fromPgUrl(database, { max: 1 });
  try {
    await ensureKeyedSchema(executor, { table: context.table });
    await createSequence(executor, context.name, { table: context.table, group });
  } finally {
    await executor.close();
  }
  return context;
}

type Connected = Omit<Context, 'redis' | 'client'> & { readonly redis: string | RedisClient };

function openFamily(context: Connected, note: Note = () => undefined): Promise<KeyedIdGenerator<number>> {
  return createKeyedSegmentRedisDbGenerator({
    ...context,
    keyed: true,
    onEvent: (event) => note(event.type === 'void' ? `void: ${event.reason}` : event.type),
  });
}

/** All keys of a family. */
export function openKeyed({ client: _, ...context }: Context, note?: Note): Promise<KeyedIdGenerator> {
  return openFamily(context, note);
}

/** One key of a family. */
export async function openKey(context: Connected, note?: Note): Promise<IdGenerator> {
  const family = await openFamily(context, note);
  return Object.assign(family.of(HOT), { close: () => family.close() });
}

export async function open(
  { redis, client = currentClient(), ...context }: Context,
  note?: Note,
): Promise<IdGenerator> {
  if (client === 'ioredis') return openKey({ ...context, redis }, note);
  const connected = await openUrl(redis, client);
  return owningClient(await openKey({ ...context, redis: connected.redis }, note), connected);
}
