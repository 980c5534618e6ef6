import { IdError } from '@ids/core';
import type { SqlExecutor } from '@ids/segment/sql';
import { assertSequenceName, type ReignGuard, withBestGuard } from '@ids/segment/table';
import { defaultLayout } from '../id-format.js';
import { type LayoutName, layoutOf, layoutText, slotsOf } from '../layout.js';
import { DEFAULT_SLOT_TABLE, type SlotTableOptions } from './slot-schema.js';
import { SlotSql } from './slot-sql.js';
import type { SlotState } from './slot-state.js';
import { statementsFor } from './slot-statements.js';
import { SqlSlotTable } from './sql-slot-table.js';

export interface CreateSlotsOptions extends SlotTableOptions {
  /** The layout of the ids, which cannot be changed later; default `41+10+12`. */
  readonly layout?: LayoutName | undefined;
  /** The epoch of the ids, in milliseconds since 1970; default 2025-01-01T00:00:00Z. */
  readonly epoch?: number | undefined;
  /** How many slots, from 1 to as many as the layout has, which is the default. More can be added later. */
  readonly slots?: number | undefined;
}

/**
 * Adds the slots of a name to the table; those that exist stay as they are. Each open generator holds one of
 * them. Rejects with `ERR_IDS_CONFIG` if they exist with another layout; then it adds none.
 */
export async function createSlots(
  executor: SqlExecutor,
  name: string,
  options: CreateSlotsOptions = {},
): Promise<SlotState> {
  const { table = DEFAULT_SLOT_TABLE, layout: layoutName = defaultLayout(), epoch } = options;
  assertSequenceName(name);
  const layout = layoutOf(layoutName, epoch);
  const { slots = slotsOf(layout) } = options;
  if (!Number.isInteger(slots) || slots < 1 || slots > slotsOf(layout)) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `slots must be a whole number from 1 to ${slotsOf(layout)}, got ${String(slots)}`,
    );
  }
  const sql = new SlotSql(executor, table);
  const create = (guard: ReignGuard) => statementsFor({ table, guard, layout, log: false }).create;
  await withBestGuard(
    async (...query) => (await sql.rows(...query)).rows,
    async (guard) => {
      for (const upTo of [1, slots]) await sql.rows(create(guard), [name, layoutText(layout), upTo]);
    },
  );
  return new SqlSlotTable(executor, { name, table, layout }).describe();
}

/**
 * What `createSlots` does, with the same options, as SQL for a migration: two statements, safe to run again.
 * They add nothing if the slots exist with another layout. They store no reign, because a migration must not
 * fail where the server does not disclose it. So the first claim of each slot waits as long as one that
 * noticed a failover, even with `startup: 'at-once'`, and stores it.
 */
export function slotsSql(name: string, options: CreateSlotsOptions = {}): string {
  const { table = DEFAULT_SLOT_TABLE, layout: layoutName = defaultLayout(), epoch } = options;
  assertSequenceName(name);
  const layout = layoutOf(layoutName, epoch);
  const { slots = slotsOf(layout) } = options;
  const { create } = statementsFor({ table, guard: 'off', layout, log: false });
  const [nameText, text] = [name, layoutText(layout)].map((value) => `'${value.replaceAll("'", "''")}'`);
  const withValues = (upTo: number): string => {
    const values = { $1: nameText, $2: text, $3: String(upTo) };
    return create.replace(/\$[123]/g, (parameter) => values[parameter as keyof typeof values] as string);
  };
  return [1, slots].map((upTo) => `${withValues(upTo).trim()};\n`).join('');
}
