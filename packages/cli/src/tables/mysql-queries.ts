import type { SqlExecutor } from '@ids/store';

/* What the commands ask a MySQL or a MariaDB, where Postgres is asked in another way. */

export function isMysql(database: SqlExecutor): boolean {
  return database.dialect === 'mysql';
}

/**
 * The server's product and version, the account, its clock in milliseconds since 1970, and whether it is
 * read-only.
 */
export async function mysqlServer(
  database: SqlExecutor,
): Promise<{ product: string; role: string; now: number; readOnly: boolean }> {
  const text = `SELECT VERSION() AS version, CURRENT_USER() AS role, @@GLOBAL.read_only AS read_only,
  CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000 AS char) AS now`;
  const [row] = (await database.execute(text, [])).rows;
  const { version, role, now, read_only: readOnly } = row ?? {};
  const product = /mariadb/i.test(String(version)) ? 'MariaDB' : 'MySQL';
  return {
    product: `${product} ${version}`,
    role: String(role),
    now: Number(now),
    readOnly: Number(readOnly) !== 0,
  };
}

/** Whether the account can see the triggers of a table. */
export async function seesTriggers(database: SqlExecutor): Promise<boolean> {
  const { rows } = await database.execute('SHOW GRANTS', []);
  const grants = rows.flatMap((row) => Object.values(row).map(String));
  return grants.some((grant) => /^GRANT .*\b(?:TRIGGER|ALL PRIVILEGES)\b.* ON /i.test(grant));
}
