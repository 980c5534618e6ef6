import { isIdError } from '@ids/core';
import { runOn, type SqlExecutor } from './executor.js';
import { REIGN_COLUMNS } from './reign.js';
import type { SchemaOptions } from './schema.js';
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

/** What a role may not do that a service does. */
export interface LackingRights {
  readonly role: string;
  /** Without them no segment is reserved: `UPDATE (max_id)`, `INSERT on id_segment_log`. */
  readonly needed: readonly string[];
  /** Without them restores and promotions are not noticed. */
  readonly forGuard: readonly string[];
  /** The statements that grant all that a service needs, as `segmentGrants` prints them. */
  readonly grants: string;
}

const NEEDED = ['server_name', 'max_id', 'realm', 'group_by', 'time_zone'];
const REIGN = Object.keys(REIGN_COLUMNS);
const LOGGED = ['server_name', 'low', 'high', 'owner'];

/**
 * Those of the columns `$n` of the table `$1` or `$2` for which the role lacks the right. A column
 * that is missing is not one.
 */
function lacking(right: string, table: string, columns: string): string {
  return `ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = to_regclass(${table}) AND a.attname = ANY(${columns})
    AND NOT a.attisdropped AND NOT has_column_privilege(a.attrelid, a.attnum, '${right}') ORDER BY 1)`;
}

/**
 * $1 the table, quoted; $2 its log, quoted, or null; $3 columns of the table, $4 those of the
 * reign, $5 those of the log.
 */
const RIGHTS = `
SELECT ${lacking('SELECT', '$1', '$3::text[]')} AS read, ${lacking('UPDATE', '$1', `ARRAY['max_id']`)} AS write,
  ${lacking('SELECT', '$1', `array_append($4::text[], 'xmin')`)} AS read_reign, ${lacking('UPDATE', '$1', '$4::text[]')} AS write_reign,
  ${lacking('INSERT', '$2', '$5::text[]')} AS log`;

/**
 * The rights on the table, and with `log` on its grant log, that the role of `executor` lacks; nothing
 * where there is no such table.
 */
export async function lackingRights(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<LackingRights> {
  const run = runOn(executor, table);
  const { table: quoted, schema } = quotedTable(table);
  const logTable = log ? logTableOf(table) : undefined;
  const values = [quoted, logTable && quotedTable(logTable).table, NEEDED, REIGN, LOGGED];
  const role = String((await run('SELECT current_user AS role', [])).rows[0]?.role);
  const grants = grantsTo(role, { table, log });
  try {
    const [row = {}] = (await run(RIGHTS, values)).rows;
    return {
      role,
      needed: [
        ...named('SELECT', row.read),
        ...named('UPDATE', row.write),
        ...named('INSERT', row.log, ` on ${logTable}`),
      ],
      forGuard: [...named('SELECT', row.read_reign), ...named('UPDATE', row.write_reign)],
      grants,
    };
  } catch (error) {
    // A name with its schema is not even looked up by a role that may not use the schema.
    const denied = isIdError(error) && (Object(error.cause) as { code?: unknown }).code === '42501';
    if (!denied || schema === undefined) throw error;
    return { role, needed: [`USAGE on schema ${schema}`], forGuard: [], grants };
  }
}

function named(right: string, columns: unknown, on = ''): string[] {
  return Array.isArray(columns) && columns.length > 0 ? [`${right} (${columns.join(', ')})${on}`] : [];
}

/** For a role that the server named, whatever its characters. */
function grantsTo(role: string, options: SchemaOptions): string {
  const standIn = 'the_role';
  const quoted = `"${role.replaceAll('"', '""')}"`;
  return segmentGrants(standIn, options)
    .replaceAll(`"${standIn}"`, () => quoted)
    .trimEnd()
    .replaceAll('\n', ' ');
}
