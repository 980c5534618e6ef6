import { quotedTable, type SchemaPart, type SqlExecutor } from '@ids/segment/sql';
import { layoutOf } from '@ids/snowflake';
import {
  createSlots,
  ensureSlotSchema,
  missingSlotSchema,
  SlotLayoutError,
  SqlSlotTable,
  slotSchema,
  slotsSql,
} from '@ids/snowflake/sql';
import type { NeededTable } from './generators.js';
import { refusable, type SchemaStep, tableStep } from './schema-step.js';

/** The steps that create what a table of slots lacks; all steps if there is no database to query. */
export async function slotSteps(
  database: SqlExecutor | undefined,
  { table, log, sequences }: NeededTable,
): Promise<SchemaStep[]> {
  const parts: SchemaPart[] =
    database === undefined
      ? ['table', ...(log ? ['log' as const] : [])]
      : await missingSlotSchema(database, { table, log });
  const ddl = tableStep({ table, parts, sql: slotSchema(table, { log }) }, (to) =>
    ensureSlotSchema(to, { table, log }),
  );
  const there = database === undefined || parts.includes('table') ? [] : await namesIn(database, table);
  const missing = sequences.filter(({ name }) => !there.includes(name));
  const steps = missing.map(({ name, slots }): SchemaStep => {
    const options = { ...slots, table };
    return {
      creates: [`slots ${name} in table ${table}, layout ${slots.layout}`],
      sql: slotsSql(name, options),
      run: async (to) => {
        await refusable(to, `create slots ${name}`, 'INSERT', table, () => createSlots(to, name, options));
        return true;
      },
    };
  });
  return [...(parts.length > 0 ? [ddl] : []), ...steps];
}

/**
 * Rejects with a `SlotLayoutError` if slots are there that no generator of the config can use: slots of
 * another layout, or beyond it. No step changes that. What else may be wrong is up to `doctor`.
 */
export async function assertSlotLayouts(
  database: SqlExecutor,
  { table, sequences }: NeededTable,
): Promise<void> {
  const [part] = await missingSlotSchema(database, { table });
  if (part === 'table') return;
  for (const { name, slots } of sequences) {
    const layout = layoutOf(slots.layout, slots.epoch);
    await new SqlSlotTable(database, { name, table, layout }).describe().catch((error: unknown) => {
      if (error instanceof SlotLayoutError) throw error;
    });
  }
}

async function namesIn(database: SqlExecutor, table: string): Promise<unknown[]> {
  const text = `SELECT DISTINCT name FROM ${quotedTable(table).table}`;
  const { rows } = await refusable(database, `read table ${table}`, 'SELECT', table, () =>
    database.execute(text, []),
  );
  return rows.map(({ name }) => name);
}
