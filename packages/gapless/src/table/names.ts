import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { isTableName, quotedTable, type TableWording } from '@ids/store';

/** The table of the numbers, unless the option `table` names another one. */
export const DEFAULT_NUMBER_TABLE = 'id_number';

/**
 * The table with the names of the series, beside that of their numbers. Throws `ERR_IDS_CONFIG` if one of the
 * tables beside it would have too long a name.
 */
export function seriesTableOf(table: string): string {
  referenceTableOf(table);
  return `${table}_series`;
}

/** The table with the documents that have named themselves. Throws as `seriesTableOf` does. */
export function referenceTableOf(table: string): string {
  quotedTable(table);
  const references = `${table}_reference`;
  if (isTableName(references)) return references;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `table is too long for a table of references, which would be named ${formatValue(references)}: at most 53 characters`,
  );
}

export const NUMBER_TABLE: TableWording = {
  what: 'number table',
  create: 'ensureNumberSchema or numberSchema',
  grants: 'numberGrants',
  column: 'last_number',
};
