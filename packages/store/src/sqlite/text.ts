import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { isTableName, logTableOf, quotedTable } from '../table-name.js';

/** The names of a table and of what belongs to it, for SQL. */
export interface SqliteTable {
  readonly name: string;
  readonly quoted: string;
  /** The name of the grant log, and quoted. */
  readonly logName: string;
  readonly log: string;
  /** The name of a trigger of the table. */
  trigger(suffix: string): string;
}

/** The names for a table. Throws `ERR_IDS_CONFIG` unless the name is a plain identifier. */
export function sqliteTable(name: string): SqliteTable {
  if (isTableName(name) && name.includes('.')) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `table must be a name without a dot on SQLite, because it is in the main file, got ${formatValue(name)}`,
    );
  }
  const { table: quoted } = quotedTable(name);
  const logName = logTableOf(name);
  return { name, quoted, logName, log: quotedTable(logName).table, trigger: (suffix) => `${name}_${suffix}` };
}

/** A text as a literal. For DDL and migrations, which have no parameters. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Now, by the clock of the database, in milliseconds since 1970, in SQL. */
export const SQLITE_NOW_MS = `CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)`;
