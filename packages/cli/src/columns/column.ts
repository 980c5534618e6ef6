import { COLUMN_NAME, COLUMN_NAME_RULE, columnParts } from '@ids/config/swap';
import { IdError } from '@ids/core';
import type { DialectName, SqlExecutor } from '@ids/store';
import type { FoundColumn, ReadColumn } from './found-column.js';
import { readMysqlColumn } from './mysql-column.js';
import { readPostgresColumn } from './postgres-column.js';
import { readSqliteColumn } from './sqlite-column.js';

const READERS: Readonly<Record<DialectName, ReadColumn>> = {
  postgres: readPostgresColumn,
  mysql: readMysqlColumn,
  sqlite: readSqliteColumn,
};

/**
 * What the database knows about the column that holds ids: `table.column` or `schema.table.column`. Of its
 * data, reads only the greatest number and, if `counted`, the counter of the column. Rejects with
 * `ERR_IDS_CONFIG` if there is no such column, if it is not known which of several tables is meant, or if the
 * role may not read all of its rows.
 */
export async function columnFacts(
  database: SqlExecutor,
  name: string,
  { counted = false }: { readonly counted?: boolean } = {},
): Promise<FoundColumn> {
  if (!COLUMN_NAME.test(name))
    throw new IdError('ERR_IDS_CONFIG', `column must be ${COLUMN_NAME_RULE}, got "${name}"`);
  const [column = '', table = '', schema] = columnParts(name).toReversed();
  return await READERS[database.dialect ?? 'postgres'](database, { name, schema, table, column, counted });
}
