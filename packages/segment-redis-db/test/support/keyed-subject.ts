import type { IdGenerator } from '@ids/core';
import { ensureKeyedSchema } from '@ids/keyed/sql';
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
export async function createKeyedContext(redis: string, database: string, unique: string): Promise<Context> {
  const context: Context = { redis, database, table: unique, keyPrefix: `${unique}:`, name: 'message' };
  const executor = await fromPgUrl(database, { max: 1 });
  try {
    await ensureKeyedSchema(executor, { table: context.table });
    await createSequence(executor, context.name, { table: context.table });
  } finally {
    await executor.close();
  }
  return context;
}

/** One key of a family. */
export async function openKey(
  { redis, ...context }: Omit<Context, 'redis' | 'client'> & { readonly redis: string | RedisClient },
  note: Note = () => undefined,
): Promise<IdGenerator> {
  const family = await createKeyedSegmentRedisDbGenerator({
    ...context,
    redis,
    keyed: true,
    onEvent: (event) => note(event.type === 'void' ? `void: ${event.reason}` : event.type),
  });
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
