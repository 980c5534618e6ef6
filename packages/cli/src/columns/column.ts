import { COLUMN_NAME, COLUMN_NAME_RULE, columnParts } from '@ids/config/swap';
import { IdError } from '@ids/core';
import type { SqlExecutor } from '@ids/store';
import { dialectOf } from '../dialects/any-dialect.js';
import type { FoundColumn } from './found-column.js';

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
  return await dialectOf(database).readColumn(database, { name, schema, table, column, counted });
}
