import { type ReignGuard, rowsOf, runOn, withBestGuard } from '@ids/store/postgres';
import { layoutText } from '../ids/layout.js';
import type { NewSlots, SlotDialect } from '../table/dialect.js';
import { SLOT_TABLE } from '../table/wording.js';
import { PostgresSlotTable } from './slot-table.js';
import { entriesStatement, statementsFor } from './statements.js';

/** Postgres 14 or later. */
export const postgresDialect: SlotDialect = {
  async addSlots(executor, wanted) {
    const { name, table, layout, slots } = wanted;
    const run = runOn(executor, table, SLOT_TABLE);
    await withBestGuard(rowsOf(run), async (guard) => {
      const text = createText(wanted, guard);
      for (const upTo of [1, slots]) await run(text, [name, layoutText(layout), upTo]);
    });
  },
  /** The rows store no reign, because a migration must not fail where the server does not disclose it. */
  addSql(wanted) {
    const { name, layout, slots } = wanted;
    const [$1, $2] = [name, layoutText(layout)].map((value) => `'${value.replaceAll("'", "''")}'`);
    const values: Readonly<Record<string, unknown>> = { $1, $2, $3: slots };
    return createText(wanted, 'off').replace(/\$[123]/g, (parameter) => String(values[parameter]));
  },
  slots: (executor, use) => new PostgresSlotTable(executor, use),
  async entriesOf(executor, { name, table, slot, timeMs }) {
    return rowsOf(runOn(executor, table, SLOT_TABLE))(entriesStatement(table), [name, slot, timeMs]);
  },
};

function createText({ table, layout }: NewSlots, guard: ReignGuard): string {
  return statementsFor({ table, layout, log: false }, guard).create;
}
