import type { SqlExecutor } from '@ids/store';
import type { MysqlExecutor } from '@ids/store/mysql';
import { ANSWER_MS, within } from '../tables/within.js';

/**
 * What `SHOW CREATE TABLE` says of a table on MySQL or MariaDB. On a connection of its own: under some values
 * of `sql_mode`, such as `NO_TABLE_OPTIONS` or `ANSI`, it omits `AUTO_INCREMENT`, or writes other quotes.
 */
export async function mysqlDeclaration(database: SqlExecutor, table: string): Promise<string> {
  let declaration = '';
  const read = (signal: AbortSignal) =>
    (database as MysqlExecutor).apart(async (run) => {
      await run("SET SESSION sql_mode = '', sql_quote_show_create = 1");
      declaration = String((await run(`SHOW CREATE TABLE ${table}`))[0]?.['Create Table']);
    }, signal);
  await within('the database', ANSWER_MS, read, '; somebody may have locked a table');
  return declaration;
}
