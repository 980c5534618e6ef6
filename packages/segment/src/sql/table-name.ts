import { IdError } from '@ids/core';
import { shownValue } from '@ids/core/strategy';

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

export interface QuotedTable {
  readonly table: string;
  /** The schema, quoted; undefined when the search path decides. */
  readonly schema: string | undefined;
  /** The schema with a dot after it, for what belongs to the table; empty when the search path decides. */
  readonly schemaPrefix: string;
}

/**
 * The parts of a table name, quoted for SQL: the name's case is kept, so `Ids` and `ids` differ.
 * Throws `ERR_IDS_CONFIG` unless the name is a plain identifier or two of them joined by a dot.
 */
export function quotedTable(table: string): QuotedTable {
  if (!isTableName(table)) {
    throw new IdError('ERR_IDS_CONFIG', `table must be ${TABLE_NAME_RULE}, got ${shownValue(table)}`);
  }
  const parts = table.split('.').map((part) => `"${part}"`);
  const schema = parts.length === 2 ? parts[0] : undefined;
  return { table: parts.join('.'), schema, schemaPrefix: schema === undefined ? '' : `${schema}.` };
}

/**
 * The name of the grant log that belongs to a segment table. Throws `ERR_IDS_CONFIG`
 * when it would be too long.
 */
export function logTableOf(table: string): string {
  quotedTable(table);
  const log = `${table}_log`;
  if (isTableName(log)) return log;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `table is too long for a grant log, named ${shownValue(log)}: at most 59 characters`,
  );
}

/** A role's name, quoted for SQL. Throws `ERR_IDS_CONFIG` for a name that is no plain identifier. */
export function quotedRole(role: string): string {
  if (typeof role === 'string' && IDENTIFIER.test(role)) return `"${role}"`;
  const rule = 'a letter or _ and then up to 62 letters, digits, _ or $';
  throw new IdError('ERR_IDS_CONFIG', `role must be ${rule}, got ${shownValue(role)}`);
}
