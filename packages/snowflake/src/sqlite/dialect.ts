import { type SqliteExecutor, sqliteTable, sqliteTableSql } from '@ids/store/sqlite';
import type { NewSlots, SlotDialect } from '../table/dialect.js';
import { SLOT_TABLE } from '../table/wording.js';
import { SqliteSlotTable } from './slot-table.js';
import { createStatement, entriesStatement, settleStatement } from './statements.js';

/** SQLite 3.35 or later. */
export const sqliteDialect: SlotDialect<SqliteExecutor> = {
  async addSlots(executor, wanted) {
    const sql = sqliteTableSql(executor, wanted.table, SLOT_TABLE);
    // Read first: rows of a backup that is put there meanwhile must not name it, or they show no restore.
    const { id: home } = await sql.home();
    const added: number[] = [];
    for (const slots of [1, wanted.slots]) {
      const rows = await sql.rows(addSql({ ...wanted, slots }));
      added.push(...rows.map(({ slot }) => Number(slot)));
    }
    if (added.length === 0) return;
    const { text, values } = settleStatement({ ...wanted, table: sqliteTable(wanted.table) }, added, home);
    await sql.rows(text, values);
  },
  addSql,
  slots: (executor, use) => new SqliteSlotTable(executor, use),
  entriesOf(executor, asked) {
    const { text, values } = entriesStatement(asked);
    return sqliteTableSql(executor, asked.table, SLOT_TABLE).rows(text, values);
  },
};

/** The rows name no database, because a migration does not know it; so the first claim of each waits. */
function addSql({ table, name, layout, slots }: NewSlots): string {
  return createStatement({ table: sqliteTable(table), name, layout }, slots);
}
