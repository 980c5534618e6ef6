import type { Row } from '../executor.js';
import { SCHEMA_LOCK_SECONDS } from '../statement-error.js';
import type { TableShape } from '../table-shape.js';
import { SERVER_HERE, tableHere } from './reign.js';
import type { TableSql } from './table-sql.js';
import { type MysqlTable, numberOf } from './text.js';

type Run = (text: string) => Promise<readonly Row[]>;

/** The names of the columns that a table lacks; none if there is no such table. */
export async function lackedColumns(
  run: Run,
  { isThis }: MysqlTable,
  columns: TableShape['columns'],
): Promise<string[]> {
  const names = Object.keys(columns);
  if (names.length === 0) return [];
  const rows = await run(`SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE ${isThis}`);
  if (rows.length === 0) return [];
  const found = new Set(rows.map(({ name }) => String(name)));
  return names.filter((name) => !found.has(name));
}

/** Before DDL, on a connection of its own: the server's default is a year or a day. */
export const LIMIT_LOCKS = `SET SESSION lock_wait_timeout = ${SCHEMA_LOCK_SECONDS}`;

/** After how many seconds a server ends a session that it does not hear from, and its locks. */
const IDLE_SECONDS = 10;

/**
 * Adds the columns that a table lacks. ALTER TABLE changes the second in which the table was created, which
 * is how a restore is detected. So the rows that were of this reign before get the new second, while the
 * table is locked: nobody can reserve, or restore it, in between.
 *
 * Run twice, or by two at once: the second one finds the columns under the lock, and changes nothing. After a
 * loss between the two statements, it is not resumed: each sequence is restored to all appearances, and skips
 * ids once.
 */
export async function addColumns(
  sql: TableSql,
  table: MysqlTable,
  columns: TableShape['columns'],
): Promise<void> {
  if ((await lackedColumns(sql.rows, table, columns)).length === 0) return;
  const { quoted } = table;
  const here = tableHere(table);
  await sql.apart(async (run) => {
    await run(`${LIMIT_LOCKS}, SESSION wait_timeout = ${IDLE_SECONDS}`);
    await run(`LOCK TABLES ${quoted} WRITE`);
    const lacked = await lackedColumns(run, table, columns);
    if (lacked.length > 0) {
      const [row] = await run(`SELECT CAST(${here} AS char) AS created`);
      await run(
        `ALTER TABLE ${quoted} ${lacked.map((name) => `ADD COLUMN ${name} ${columns[name]}`).join(', ')}`,
      );
      await run(`UPDATE ${quoted} SET reign_table = ${here}
WHERE reign_server = ${SERVER_HERE} AND reign_table = ${numberOf(Number(row?.created))}`);
    }
    await run('UNLOCK TABLES');
  });
}
