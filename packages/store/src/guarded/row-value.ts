import type { Row, SqlExecutor } from '../executor.js';
import { bytesOf } from '../mysql/text.js';
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
