import type { KeyedIdGenerator } from '@ids/core';
import { ensureKeyedSchema, keyTableOf } from '@ids/keyed/sql';
import type { SequenceGroup } from '@ids/segment';
import { createSequence } from '@ids/segment/sql';
import { createKeyedSegmentInprocGenerator } from '../../src/index.js';
import { withExecutor } from './subject.js';

/** A family in tables of its own. */
export interface KeyedContext {
  readonly database: string;
  readonly table: string;
  readonly name: string;
  readonly as: 'number';
}

/** `note` counts events of a recording's processes. */
export function openKeyed(context: KeyedContext, note?: (event: string) => void): Promise<KeyedIdGenerator> {
  return createKeyedSegmentInprocGenerator({
    ...context,
    order: 'real-time',
    keyed: true,
    // Small, so that batches need several statements.
    maxStep: 800,
    onEvent: ({ type }) => note?.(type),
  });
}

export async function createKeyedContext(
  database: string,
  table: string,
  group?: SequenceGroup,
): Promise<KeyedContext> {
  await withExecutor(database, async (executor) => {
    await ensureKeyedSchema(executor, { table });
    await createSequence(executor, 'order', { table, group });
  });
  return { database, table, name: 'order', as: 'number' };
}

/** Locks the row of a key, as a transaction that is left open does, until the returned function is called. */
export async function lockKey(
  { database, table, name }: KeyedContext,
  key: string,
): Promise<() => Promise<void>> {
  // Loaded only here: the processes of a test, which lock nothing, would wait for all drivers.
  const { SQL_DIALECTS } = await import('@ids/local-services/dialects');
  const kind = SQL_DIALECTS.find(({ dialect }) => dialect === dialectOf(database));
  if (kind === undefined) throw new Error(`no dialect for ${database}`);
  const session = kind.connect(database);
  const release = await session.hold(
    `SELECT 1 FROM ${keyTableOf(table)} WHERE family = '${name}' AND sequence_key = '${key}' FOR UPDATE`,
  );
  return async () => {
    await release();
    await session.end();
  };
}

function dialectOf(url: string): 'postgres' | 'mysql' {
  return url.startsWith('postgres') ? 'postgres' : 'mysql';
}
