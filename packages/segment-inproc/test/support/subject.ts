import type { IdGenerator } from '@ids/core';
import type { IdTypeName, SegmentEvent } from '@ids/segment';
import { createSequence, ensureSchema, openDatabase, type SqlExecutor } from '@ids/segment/sql';
import { createSegmentGenerator } from '../../src/index.js';

/** One sequence in a table of its own. */
export interface Context<As extends IdTypeName = IdTypeName> {
  readonly database: string;
  readonly table: string;
  readonly name: string;
  readonly as: As;
  readonly maxIdsLost?: number | undefined;
}

/** The same sequence for ids in real-time order. */
export interface OrderedContext extends Context {
  readonly order: 'real-time';
}

/** `note` counts events of a recording's processes. */
export function open(
  context: Context | OrderedContext,
  note?: (event: string) => void,
): Promise<IdGenerator> {
  // Small segments, so that their edges are met often; with a bound of its own, as large as that allows.
  const maxStep = context.maxIdsLost ?? 800;
  const onEvent = ({ type }: SegmentEvent): void => note?.(type);
  return 'order' in context
    ? createSegmentGenerator({ ...context, maxStep, onEvent })
    : createSegmentGenerator({ ...context, minStep: 50, maxStep, onEvent });
}

export async function createContext<As extends IdTypeName>(
  database: string,
  table: string,
  as: As,
  maxIdsLost?: number,
): Promise<Context<As>> {
  const context: Context<As> = { database, table, name: 'order', as, maxIdsLost };
  await withExecutor(database, async (executor) => {
    await ensureSchema(executor, { table });
    await createSequence(executor, context.name, { table });
  });
  return context;
}

/** Runs `use` with one connection to a database of any kind, opened and closed here. */
export async function withExecutor<T>(
  database: string,
  use: (executor: SqlExecutor) => Promise<T>,
): Promise<T> {
  const executor = await openDatabase(database, { max: 1 });
  try {
    return await use(executor);
  } finally {
    await executor.close();
  }
}
