import { IdError, shownValue } from '@ids/core';

export const DEFAULT_TABLE = 'id_segment';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_$]{0,62}$/;

/** A name that Postgres would cut off after 63 bytes is refused, or two tables could become one. */
export const TABLE_NAME_RULE =
  'a table name with an optional schema before a dot, each part a letter or _ and then up to 62 letters, digits, _ or $';

export function isTableName(table: unknown): table is string {
  if (typeof table !== 'string') return false;
  const parts = table.split('.');
  return parts.length <= 2 && parts.every((part) => IDENTIFIER.test(part));
}

/**
 * The parts of a table name, quoted for SQL: the name's case is kept, so `Ids` and `ids` differ.
 * Throws `ERR_IDS_CONFIG` unless the name is a plain identifier or two of them joined by a dot.
 */
export function quotedTable(table: string): { readonly table: string; readonly schemaPrefix: string } {
  if (!isTableName(table)) {
    throw new IdError('ERR_IDS_CONFIG', `table must be ${TABLE_NAME_RULE}, got ${shownValue(table)}`);
  }
  const parts = table.split('.').map((part) => `"${part}"`);
  return { table: parts.join('.'), schemaPrefix: parts.length === 2 ? `${parts[0]}.` : '' };
}
