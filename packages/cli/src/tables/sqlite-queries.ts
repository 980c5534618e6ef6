import { IdError } from '@ids/core';
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

/** Throws for a column of SQLite, of which the commands can read no facts yet. */
export function assertColumnIsReadable(database: SqlExecutor, name: string): void {
  if (!isSqlite(database)) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `column ${name}: columns of a SQLite database cannot be read yet; leave "column" out`,
  );
}
