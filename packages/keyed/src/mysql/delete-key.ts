import { DEFAULT_TABLE } from '@ids/segment';
import { type MysqlExecutor, tableSql } from '@ids/store/mysql';
import { deleteKeyBy } from '../table/delete-key.js';
import type { DeleteKeyOptions } from '../table/dialect.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';
import { tablesOf } from './key-table.js';
import { MysqlKeyedSource } from './keyed-source.js';
import { announceStatement, deleteLogStatement, deleteStatement } from './statements.js';

/** `deleteKey` on MySQL. */
export async function deleteMysqlKey(
  executor: MysqlExecutor,
  family: string,
  key: string,
  { mayRepeat = false, table = DEFAULT_TABLE, ...options }: DeleteKeyOptions = {},
): Promise<boolean> {
  const tables = tablesOf(table);
  const sql = tableSql(executor, keyTableOf(table), KEY_TABLE);
  const deletion = mayRepeat ? 'repeat' : 'raise';
  const remove = async (): Promise<boolean> => {
    await executor.commit(announceStatement(tables, family, key, deletion));
    const { changed } = await executor.change(deleteStatement(tables, family, key, deletion), 'DO 0');
    return changed > 0;
  };
  return deleteKeyBy(family, key, {
    source: new MysqlKeyedSource(executor, { table, ...options }),
    table,
    remove: () => sql.attempt(remove),
    removeLog: async () => {
      const { log, isLog } = tables.keys;
      const there = `SELECT 1 FROM information_schema.TABLES WHERE ${isLog}`;
      if ((await sql.rows(there)).length === 0) return;
      await sql.commit(deleteLogStatement(log, family, key));
    },
    mayRepeat,
  });
}
