import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { isTableName, quotedTable, type TableWording } from '@ids/store';

/**
 * The name of the table with the keys of a segment table. Throws `ERR_IDS_CONFIG` if it would be too long.
 */
export function keyTableOf(table: string): string {
  quotedTable(table);
  const keys = `${table}_key`;
  if (isTableName(keys)) return keys;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `table is too long for a table of keys, which would be named ${formatValue(keys)}: at most 59 characters`,
  );
}

export const KEY_TABLE: TableWording = {
  what: 'key table',
  create: 'ensureKeyedSchema or keyedSchema',
  grants: 'keyedGrants',
  column: 'max_id',
};
