import { REIGN_COLUMNS } from './reign.js';
import type { SchemaOptions } from './segment-schema.js';
import { DEFAULT_TABLE, logTableOf, quotedRole, quotedTable } from './table-name.js';

/**
 * The least rights of a service's role, as SQL for a migration: it can reserve and describe, with `log`
 * also enter what it drew; it can neither create, rename nor delete a sequence, nor read or change the log,
 * nor choose the time in it.
 */
export function segmentGrants(
  role: string,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): string {
  const to = `TO ${quotedRole(role)};\n`;
  const { table: quoted, schema } = quotedTable(table);
  const reign = Object.keys(REIGN_COLUMNS).join(', ');
  const columns = `server_name, max_id, realm, group_by, time_zone, ${reign}, xmin`;
  const useSchema = schema === undefined ? '' : `GRANT USAGE ON SCHEMA ${schema} ${to}`;
  const useTable = `GRANT SELECT (${columns}), UPDATE (max_id, ${reign}) ON ${quoted} ${to}`;
  if (!log) return useSchema + useTable;
  const { table: quotedLog } = quotedTable(logTableOf(table));
  return `${useSchema}${useTable}GRANT INSERT (server_name, low, high, owner) ON ${quotedLog} ${to}`;
}
