import type { IdGenerator } from '@ids/core';
import { openDatabase } from '@ids/store/open';
import { createSnowflakeGenerator, type LayoutName, type SnowflakeOptions } from '../../src/index.js';
import { createSlots, ensureSlotSchema, slotsSql } from '../../src/sql/index.js';

/** Slots in a table of their own on the shared Postgres, and how generators open them; survives JSON. */
export type Context = SnowflakeOptions & { readonly database?: string };

/** `note` counts events of a recording's processes. */
export function open(context: Context, note?: (event: string) => void): Promise<IdGenerator> {
  return createSnowflakeGenerator({ ...context, onEvent: ({ type }) => note?.(type) });
}

export interface SlotsOptions {
  readonly layout?: LayoutName | undefined;
  readonly slots?: number | undefined;
  readonly log?: boolean | undefined;
  /** As a migration creates them. */
  readonly bySql?: boolean | undefined;
}

/** Creates slots named `order` in a new table. */
export async function createContext(
  database: string,
  table: string,
  { log, bySql = false, ...options }: SlotsOptions = {},
): Promise<{ readonly database: string; readonly table: string; readonly name: string }> {
  const executor = await openDatabase(database, { max: 1 });
  try {
    await ensureSlotSchema(executor, { table, log });
    if (bySql) await executor.execute(slotsSql('order', { table, ...options }), []);
    else await createSlots(executor, 'order', { table, ...options });
  } finally {
    await executor.close();
  }
  return { database, table, name: 'order' };
}
