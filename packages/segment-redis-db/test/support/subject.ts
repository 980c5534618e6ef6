import type { IdGenerator } from '@ids/core';
import { createSequence, ensureSchema } from '@ids/segment/sql';
import { fromMysqlUrl } from '@ids/store/mysql';
import { fromPgUrl } from '@ids/store/postgres';
import { createSegmentRedisDbGenerator } from '../../src/index.js';
import { type ClientName, currentClient } from './client-names.js';
import { openUrl } from './connect-in-process.js';
import { type Note, noteEvents } from './note-events.js';
import { owningClient } from './owned-client.js';

/** One sequence on the shared servers, in a table and under a key prefix of its own. */
export interface Context {
  readonly redis: string;
  /** By default, the current one of this process. */
  readonly client?: ClientName;
  readonly database: string;
  readonly table: string;
  readonly keyPrefix: string;
  readonly name: string;
  readonly lockMs?: number;
  readonly afterRestore?: number;
  readonly maxStep?: number;
}

export async function open(
  { redis, client = currentClient(), ...options }: Context,
  note?: Note,
): Promise<IdGenerator> {
  const onEvent = noteEvents(note);
  // Opened by a URL, it would be ioredis.
  if (client === 'ioredis') return createSegmentRedisDbGenerator({ ...options, redis, onEvent });
  const connected = await openUrl(redis, client);
  return owningClient(
    await createSegmentRedisDbGenerator({ ...options, redis: connected.redis, onEvent }),
    connected,
  );
}

export async function createContext(redis: string, database: string, unique: string): Promise<Context> {
  const context: Context = { redis, database, table: unique, keyPrefix: `${unique}:`, name: 'order' };
  const executor = await (database.startsWith('mysql:') ? fromMysqlUrl : fromPgUrl)(database, { max: 1 });
  try {
    await ensureSchema(executor, { table: context.table });
    await createSequence(executor, context.name, { table: context.table });
  } finally {
    await executor.close();
  }
  return context;
}
