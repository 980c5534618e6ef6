import { quotedTable, type SqlExecutor } from '@ids/segment/sql';
import {
  createSlots,
  ensureSlotSchema,
  missingSlotSchema,
  type SlotSchemaPart,
  slotSchema,
  slotsSql,
} from '@ids/snowflake/sql';
import type { NeededTable } from './generators.js';
import { refusable, type SchemaStep } from './schema-step.js';

/** The steps that create what a table of slots lacks; all steps if there is no database to query. */
export async function slotSteps(
  database: SqlExecutor | undefined,
  { table, log, sequences }: NeededTable,
): Promise<SchemaStep[]> {
  const parts: SlotSchemaPart[] =
    database === undefined
      ? ['table', ...(log ? ['log' as const] : [])]
      : await missingSlotSchema(database, { table, log });
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
  return [...(parts.length > 0 ? [tableStep(table, log, parts)] : []), ...steps];
}

function tableStep(table: string, log: boolean, parts: readonly SlotSchemaPart[]): SchemaStep {
  const names = {
    table: `table ${table}`,
    guards: `guards of table ${table}`,
    log: `grant log ${table}_log`,
  };
  const creates = parts.map((part) => names[part]);
  return {
    creates,
    sql: slotSchema(table, { log }),
    run: async (database) => {
      await refusable(database, `create ${creates.join(' and ')}`, 'CREATE', table, () =>
        ensureSlotSchema(database, { table, log }),
      );
      return true;
    },
  };
}

async function namesIn(database: SqlExecutor, table: string): Promise<unknown[]> {
  const text = `SELECT DISTINCT name FROM ${quotedTable(table).table}`;
  const { rows } = await refusable(database, `read table ${table}`, 'SELECT', table, () =>
    database.execute(text, []),
  );
  return rows.map(({ name }) => name);
}
