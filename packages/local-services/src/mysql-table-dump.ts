import mysql from 'mysql2/promise';
import { pollUntil } from './poll-until.js';
import type { TableDump } from './table-dump.js';

/** The server notes the second in which a table was created. No dump is restored within the same one. */
const CREATED =
  'SELECT UNIX_TIMESTAMP(max(CREATE_TIME)) AS at FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?';
const secondMs = 60_000;

/**
 * Dumps `table`, a plain name, of the database at `url`, as `mysqldump` does: `restoreTo` drops the table,
 * creates it, inserts the rows and creates the triggers last.
 */
export async function dumpMysqlTable(url: string, table: string): Promise<TableDump> {
  return withConnection(url, async (source) => {
    const [create] = await rowsOf(source, `SHOW CREATE TABLE ${table}`);
    const rows = await rowsOf(source, `SELECT * FROM ${table}`);
    const [created] = await rowsOf(source, CREATED, [table]);
    const triggers: string[] = [];
    for (const { Trigger: name } of await rowsOf(source, 'SHOW TRIGGERS WHERE `Table` = ?', [table])) {
      const [trigger] = await rowsOf(source, `SHOW CREATE TRIGGER ${name}`);
      triggers.push(String(trigger?.['SQL Original Statement']));
    }
    return {
      restoreTo: (target) =>
        withConnection(target, async (connection) => {
          const [existing] = await rowsOf(connection, CREATED, [table]);
          await pastSecond(connection, Math.max(Number(created?.at), Number(existing?.at ?? 0)));
          await connection.query(`DROP TABLE IF EXISTS ${table}`);
          await connection.query(String(create?.['Create Table']));
          for (const row of rows) await connection.query(`INSERT INTO ${table} SET ?`, [row]);
          for (const trigger of triggers) await connection.query(trigger);
        }),
    };
  });
}

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(
  connection: mysql.Connection,
  sql: string,
  values: unknown[] = [],
): Promise<readonly Row[]> {
  const [rows] = await connection.query(sql, values);
  return rows as Row[];
}

/**
 * The creation of a table is noted with the time of its file, which the kernel takes from its last tick: it
 * may lie behind the clock by 10 ms. This is five times as much.
 */
const fileTimeLagS = 0.05;

/** Resolves when a second is over, by the server's clock and by the times of its files. */
async function pastSecond(connection: mysql.Connection, second: number): Promise<void> {
  const isPast = async () =>
    Number((await rowsOf(connection, 'SELECT UNIX_TIMESTAMP(NOW(6)) AS now'))[0]?.now) >
    second + 1 + fileTimeLagS;
  if (!(await pollUntil(isPast, secondMs))) throw new Error('the clock of the server is behind');
}

async function withConnection<T>(url: string, use: (connection: mysql.Connection) => Promise<T>): Promise<T> {
  const connection = await mysql.createConnection({ uri: url, supportBigNumbers: true, dateStrings: true });
  try {
    return await use(connection);
  } finally {
    await connection.end();
  }
}
