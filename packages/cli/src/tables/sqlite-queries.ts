import type { SqlExecutor } from '@ids/store';

/* What the commands ask a SQLite, where Postgres is asked in another way. */

export function isSqlite(database: SqlExecutor): boolean {
  return database.dialect === 'sqlite';
}

/** The version of the library that the driver contains. */
export async function sqliteVersion(database: SqlExecutor): Promise<string> {
  const [row] = (await database.execute('SELECT sqlite_version() AS version', [])).rows;
  return String(row?.version);
}
