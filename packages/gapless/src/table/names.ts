import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { isTableName, quotedTable, type TableWording } from '@ids/store';

/** The table of the numbers, unless the option `table` names another one. */
export const DEFAULT_NUMBER_TABLE = 'id_number';

/**
 * The table with the names of the series, beside that of their numbers. Throws `ERR_IDS_CONFIG` if its name
 * would be too long.
 */
export function seriesTableOf(table: string): string {
  quotedTable(table);
  const series = `${table}_series`;
  if (isTableName(series)) return series;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `table is too long for a table of series, which would be named ${formatValue(series)}: at most 56 characters`,
  );
}

export const NUMBER_TABLE: TableWording = {
  what: 'number table',
  create: 'ensureNumberSchema or numberSchema',
  grants: 'numberGrants',
  column: 'last_number',
};
