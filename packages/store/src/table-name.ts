import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';

export interface TableOptions {
  /**
   * The table, `table` or `schema.table`; default `id_segment`, for slots `id_slot`. On MySQL the schema is a
   * database.
   */
  readonly table?: string | undefined;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_$]{0,62}$/;

/** Rejects names that Postgres would cut off after 63 bytes, or two tables could become the same one. */
export const TABLE_NAME_RULE =
  'a table name with an optional schema before a dot, each part a letter or _ and then up to 62 letters, digits, _ or $';

export function isTableName(table: unknown): table is string {
  if (typeof table !== 'string') return false;
  const parts = table.split('.');
  return parts.length <= 2 && parts.every((part) => IDENTIFIER.test(part));
}

export interface QuotedTable {
  readonly table: string;
  /** The schema, quoted; undefined if the search path decides. */
  readonly schema: string | undefined;
  /** The schema and a dot, for objects that belong to the table; empty if the search path decides. */
  readonly schemaPrefix: string;
}

/**
 * The parts of a table name, quoted for SQL. Quoting preserves case, so `Ids` and `ids` differ. Throws
 * `ERR_IDS_CONFIG` unless the name is a plain identifier, or two of them with a dot between.
 */
export function quotedTable(table: string): QuotedTable {
  if (!isTableName(table)) {
    throw new IdError('ERR_IDS_CONFIG', `table must be ${TABLE_NAME_RULE}, got ${formatValue(table)}`);
  }
  const parts = table.split('.').map((part) => `"${part}"`);
  const schema = parts.length === 2 ? parts[0] : undefined;
  return { table: parts.join('.'), schema, schemaPrefix: schema === undefined ? '' : `${schema}.` };
}

/**
 * The table name with the schema in which the table was found, so that another search path of a connection
 * cannot lead to a table of the same name with other sequences. Returns `table` if it names a schema itself,
 * or if `quotedTable` rejects the name of the schema: then the search path still decides.
 */
export function inSchema(table: string, schema: unknown): string {
  const found = `${String(schema)}.${table}`;
  return typeof schema === 'string' && isTableName(found) ? found : table;
}

/** The name of the grant log of a table. Throws `ERR_IDS_CONFIG` if it would be too long. */
export function logTableOf(table: string): string {
  quotedTable(table);
  const log = `${table}_log`;
  if (isTableName(log)) return log;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `table is too long for a grant log, which would be named ${formatValue(log)}: at most 59 characters`,
  );
}

/** The name of a role, quoted for SQL. Throws `ERR_IDS_CONFIG` unless it is a plain identifier. */
export function quotedRole(role: string): string {
  if (typeof role === 'string' && IDENTIFIER.test(role)) return `"${role}"`;
  const rule = 'a letter or _ and then up to 62 letters, digits, _ or $';
  throw new IdError('ERR_IDS_CONFIG', `role must be ${rule}, got ${formatValue(role)}`);
}
