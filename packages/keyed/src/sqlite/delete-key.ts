import { DEFAULT_TABLE } from '@ids/segment';
import { isMissingTable, type SqliteExecutor } from '@ids/store/sqlite';
import { deleteKeyBy } from '../table/delete-key.js';
import type { DeleteKeyOptions } from '../table/dialect.js';
import { keyedSql } from './family.js';
import { SqliteKeyedSource } from './keyed-source.js';
import { deleteLogStatement, deleteStatement } from './statements.js';

/** `deleteKey` on SQLite. */
export async function deleteSqliteKey(
  executor: SqliteExecutor,
  family: string,
  key: string,
  { mayRepeat = false, table = DEFAULT_TABLE, ...options }: DeleteKeyOptions = {},
): Promise<boolean> {
  const { tables, sql } = keyedSql(executor, table);
  return deleteKeyBy(family, key, {
    source: new SqliteKeyedSource(executor, { table, ...options }),
    table,
    remove: async () => {
      const { id: home } = await sql.home();
      const deletion = mayRepeat ? 'repeat' : 'raise';
      const { text, values } = deleteStatement(tables, family, key, home, deletion);
      return (await sql.rows(text, values, {}, home)).length > 0;
    },
    removeLog: async () => {
      const { text, values } = deleteLogStatement(tables, family, key);
      await sql.rows(text, values).catch((error: unknown) => {
        if (!isMissingTable(error)) throw error;
      });
    },
    mayRepeat,
  });
}
