import { quotedTable, type SchemaPart, type SqlExecutor } from '@ids/segment/sql';
import { createSlots, ensureSlotSchema, missingSlotSchema, slotSchema, slotsSql } from '@ids/snowflake/sql';
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

async function namesIn(database: SqlExecutor, table: string): Promise<unknown[]> {
  const text = `SELECT DISTINCT name FROM ${quotedTable(table).table}`;
  const { rows } = await refusable(database, `read table ${table}`, 'SELECT', table, () =>
    database.execute(text, []),
  );
  return rows.map(({ name }) => name);
}
