import type { Row, SqlExecutor } from '../executor.js';
import * as mysql from '../mysql/errors.js';
import { bytesOf } from '../mysql/text.js';
import * as sqlite from '../sqlite/errors.js';
import { quotedTable } from '../table-name.js';

/** One value of the rows of a name; undefined if there is none. Checks nothing of the server. */
export async function rowValue(
  executor: SqlExecutor,
  table: string,
  where: { readonly column: string; readonly name: string },
  what: string,
): Promise<string | undefined> {
  const { table: quoted } = quotedTable(table);
  const { column, name } = where;
  const [text, values] =
    executor.dialect === 'sqlite'
      ? [`CAST(${what} AS text) AS value FROM ${quoted} WHERE ${column} = ?`, [name]]
      : executor.dialect === 'mysql'
        ? [
            `CAST(${what} AS char) AS value FROM ${quoted.replaceAll('"', '`')} WHERE ${column} = ${bytesOf(name)}`,
            [],
          ]
        : [`(${what})::text AS value FROM ${quoted} WHERE ${column} = $1`, [name]];
  const [row]: readonly Row[] = (await executor.execute(`SELECT ${text} LIMIT 1`, values)).rows;
  return row === undefined || row.value === null ? undefined : String(row.value);
}

/** SQLSTATE undefined_table. */
const UNDEFINED_TABLE = '42P01';

/** True if a statement failed because there is no such table, in any database. */
export function isMissingTable(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return code === UNDEFINED_TABLE || mysql.isMissingTable(error) || sqlite.isMissingTable(error);
}
