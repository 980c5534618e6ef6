import { isIdError } from '@ids/core';
import type { LackingRights, SchemaOptions } from '../store/dialect.js';
import type { SqlExecutor, TableWording } from '../store/executor.js';
import { DEFAULT_TABLE, logTableOf, quotedRole, quotedTable } from '../store/table-name.js';
import { runOn } from './errors.js';
import { REIGN_COLUMNS, REIGNS_COLUMN } from './reign.js';

const SEGMENT_REIGN = Object.keys({ ...REIGN_COLUMNS, ...REIGNS_COLUMN });

/** `segmentGrants` for Postgres. */
export function segmentGrants(
  role: string,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): string {
  const to = `TO ${quotedRole(role)};\n`;
  const { table: quoted, schema } = quotedTable(table);
  const reign = SEGMENT_REIGN.join(', ');
  const columns = `server_name, max_id, realm, group_by, time_zone, ${reign}, xmin`;
  const useSchema = schema === undefined ? '' : `GRANT USAGE ON SCHEMA ${schema} ${to}`;
  const useTable = `GRANT SELECT (${columns}), UPDATE (max_id, ${reign}) ON ${quoted} ${to}`;
  if (!log) return useSchema + useTable;
  const { table: quotedLog } = quotedTable(logTableOf(table));
  return `${useSchema}${useTable}GRANT INSERT (server_name, low, high, owner) ON ${quotedLog} ${to}`;
}

/** What a service must be able to do with a table in which it reserves something. */
export interface NeededRights {
  readonly table: string;
  /** The grant log, if the service writes one. */
  readonly log: string | undefined;
  /** The columns that it reads and writes, besides those of the reign. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** The columns of the reign. */
  readonly reign?: readonly string[] | undefined;
  /** The columns of the log that it writes. */
  readonly logged: readonly string[];
  readonly wording?: TableWording | undefined;
  /** The statements that grant all of it to a role whose name is a plain identifier. */
  grantsTo(role: string): string;
}

/** The columns of a table for which the role lacks a right. Columns that do not exist are not among them. */
function lacking(right: string, table: string, columns: string): string {
  return `ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = to_regclass(${table}) AND a.attname = ANY(${columns})
    AND NOT a.attisdropped AND NOT has_column_privilege(a.attrelid, a.attnum, '${right}') ORDER BY 1)`;
}

/**
 * $1 the table, quoted; $2 its log, quoted, or null; $3 and $4 the columns that are read and written, $5
 * those of the reign, $6 those of the log.
 */
const RIGHTS = `
SELECT ${lacking('SELECT', '$1', '$3::text[]')} AS read, ${lacking('UPDATE', '$1', '$4::text[]')} AS write,
  ${lacking('SELECT', '$1', `array_append($5::text[], 'xmin')`)} AS read_reign, ${lacking('UPDATE', '$1', '$5::text[]')} AS write_reign,
  ${lacking('INSERT', '$2', '$6::text[]')} AS log`;

/** `lackingRights` on Postgres. */
export async function lackingRights(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<LackingRights> {
  return rightsLackedOn(executor, {
    table,
    log: log ? logTableOf(table) : undefined,
    read: ['server_name', 'max_id', 'realm', 'group_by', 'time_zone'],
    write: ['max_id'],
    reign: SEGMENT_REIGN,
    logged: ['server_name', 'low', 'high', 'owner'],
    grantsTo: (role) => segmentGrants(role, { table, log }),
  });
}

/** The same for any table with the columns of the reign. */
export async function rightsLackedOn(
  executor: SqlExecutor,
  { table, log, read, write, reign = Object.keys(REIGN_COLUMNS), logged, wording, grantsTo }: NeededRights,
): Promise<LackingRights> {
  const run = runOn(executor, table, wording);
  const { table: quoted, schema } = quotedTable(table);
  const values = [quoted, log && quotedTable(log).table, read, write, reign, logged];
  const role = String((await run('SELECT current_user AS role', [])).rows[0]?.role);
  const grants = grantsAs(role, grantsTo);
  try {
    const [row = {}] = (await run(RIGHTS, values)).rows;
    return {
      role,
      needed: [
        ...named('SELECT', row.read),
        ...named('UPDATE', row.write),
        ...named('INSERT', row.log, ` on ${log}`),
      ],
      forGuard: [...named('SELECT', row.read_reign), ...named('UPDATE', row.write_reign)],
      grants,
    };
  } catch (error) {
    // For a role that may not use the schema, even the look-up of a name in it fails.
    const denied = isIdError(error) && (Object(error.cause) as { code?: unknown }).code === '42501';
    if (!denied || schema === undefined) throw error;
    return { role, needed: [`USAGE on schema ${schema}`], forGuard: [], grants };
  }
}

function named(right: string, columns: unknown, on = ''): string[] {
  return Array.isArray(columns) && columns.length > 0 ? [`${right} (${columns.join(', ')})${on}`] : [];
}

/** For a role as the server names it, whatever its characters. */
function grantsAs(role: string, grantsTo: NeededRights['grantsTo']): string {
  const placeholder = 'the_role';
  const quoted = `"${role.replaceAll('"', '""')}"`;
  return grantsTo(placeholder)
    .replaceAll(`"${placeholder}"`, () => quoted)
    .trimEnd()
    .replaceAll('\n', ' ');
}
