import type { IdGenerator } from '@ids/core';
import type { IdTypeName, SegmentEvent } from '@ids/segment';
import { createSequence, ensureSchema, fromMysqlUrl, fromPgUrl } from '@ids/segment/sql';
import { createSegmentGenerator } from '../../src/index.js';

/** One sequence in a table of its own on the shared Postgres, or in a database of MariaDB. */
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
  const executor = await (database.startsWith('mysql:') ? fromMysqlUrl : fromPgUrl)(database, { max: 1 });
  try {
    await ensureSchema(executor, { table });
    await createSequence(executor, context.name, { table });
  } finally {
    await executor.close();
  }
  return context;
}
