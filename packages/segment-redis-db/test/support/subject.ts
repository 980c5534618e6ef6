import type { IdGenerator } from '@ids/core';
import { createSequence, ensureSchema, fromMysqlUrl, fromPgUrl } from '@ids/segment/sql';
import { createRedisSegmentGenerator } from '../../src/index.js';
import { type Note, noteEvents } from './note-events.js';

/** One sequence on the shared servers, in a table and under a key prefix of its own. */
export interface Context {
  readonly redis: string;
  readonly database: string;
  readonly table: string;
  readonly keyPrefix: string;
  readonly name: string;
  readonly lockMs?: number;
  readonly afterRestore?: number;
  readonly maxStep?: number;
}

export function open(context: Context, note?: Note): Promise<IdGenerator> {
  return createRedisSegmentGenerator({ ...context, onEvent: noteEvents(note) });
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
