import { type MysqlExecutor, mysqlTable, tableSql } from '@ids/store/mysql';
import type { NewSlots, SlotDialect } from '../table/dialect.js';
import { SLOT_TABLE } from '../table/wording.js';
import { MysqlSlotTable } from './slot-table.js';
import { createStatement, entriesStatement } from './statements.js';

/** MariaDB 10.6 or later, and MySQL 8.0.29 or later. */
export const mysqlDialect: SlotDialect<MysqlExecutor> = {
  async addSlots(executor, wanted) {
    const sql = tableSql(executor, wanted.table, SLOT_TABLE);
    for (const slots of [1, wanted.slots]) await sql.commit(addSql({ ...wanted, slots }));
  },
  addSql,
  slots: (executor, use) => new MysqlSlotTable(executor, use),
  entriesOf: (executor, asked) => tableSql(executor, asked.table, SLOT_TABLE).rows(entriesStatement(asked)),
};

/** The trigger of INSERT stores the reign. */
function addSql({ table, name, layout, slots }: NewSlots): string {
  return createStatement({ table: mysqlTable(table), name, layout }, slots);
}
