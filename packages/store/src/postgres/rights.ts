import { isIdError } from '@ids/core';
import type { SqlExecutor } from '../executor.js';
import type { LackingRights } from '../schema.js';
import { logTableOf, quotedRole, quotedTable } from '../table-name.js';
import type { TableWording } from '../table-shape.js';
import { rowsOf, runOn } from './errors.js';
import { otherWritersOf } from './other-writers.js';
import { REIGN_COLUMNS } from './reign.js';

/** The columns of a table in which a service reserves something. */
export interface ServiceColumns {
  /** Those that it reads and writes, besides those of the reign. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Those of a row that it adds; it adds none by default. */
  readonly insert?: readonly string[] | undefined;
  /** The columns of the reign. */
  readonly reign?: readonly string[] | undefined;
  /** The columns of the grant log that it writes. */
  readonly logged: readonly string[];
  /** Whether a service may delete rows, if it was granted that too; false by default. */
  readonly deletes?: boolean | undefined;
}

const REIGN = Object.keys(REIGN_COLUMNS);

/** The least rights of a service's role, as SQL; with `log`, those on the grant log too. */
export function postgresGrantsOn(
  { read, write, reign = REIGN, logged }: ServiceColumns,
  role: string,
  table: string,
  log: boolean,
): string {
  const to = `TO ${quotedRole(role)};\n`;
  const { table: quoted, schema } = quotedTable(table);
  const [readable, writable] = [
    [...read, ...reign, 'xmin'],
    [...write, ...reign],
  ].map((it) => it.join(', '));
  const useSchema = schema === undefined ? '' : `GRANT USAGE ON SCHEMA ${schema} ${to}`;
  const useTable = `GRANT SELECT (${readable}), UPDATE (${writable}) ON ${quoted} ${to}`;
  if (!log) return useSchema + useTable;
  const { table: quotedLog } = quotedTable(logTableOf(table));
  return `${useSchema}${useTable}GRANT INSERT (${logged.join(', ')}) ON ${quotedLog} ${to}`;
}

/** The columns of a table for which the role lacks a right. Columns that do not exist are not among them. */
function lacking(right: string, table: string, columns: string): string {
  return `ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = to_regclass(${table}) AND a.attname = ANY(${columns})
    AND NOT a.attisdropped AND NOT has_column_privilege(a.attrelid, a.attnum, '${right}') ORDER BY 1)`;
}

/**
 * $1 the table, quoted; $2 its log, quoted, or null; $3 and $4 the columns that are read and written, $5
 * those of the reign, $6 those of the log, $7 those of a row that is added.
 */
const RIGHTS = `
SELECT ${lacking('SELECT', '$1', '$3::text[]')} AS read, ${lacking('UPDATE', '$1', '$4::text[]')} AS write,
  ${lacking('SELECT', '$1', `array_append($5::text[], 'xmin')`)} AS read_reign, ${lacking('UPDATE', '$1', '$5::text[]')} AS write_reign,
  ${lacking('INSERT', '$2', '$6::text[]')} AS log, ${lacking('INSERT', '$1', '$7::text[]')} AS insert`;

/**
 * The rights that the role of `executor` lacks; none if there is no such table. `grantsTo`: the statements
 * that grant all of them to a role whose name is a plain identifier.
 */
export async function rightsLackedOn(
  executor: SqlExecutor,
  columns: ServiceColumns,
  table: string,
  logs: boolean,
  wording: TableWording,
  grantsTo = (name: string): string => postgresGrantsOn(columns, name, table, logs),
): Promise<LackingRights> {
  const run = runOn(executor, table, wording);
  const { table: quoted, schema } = quotedTable(table);
  const log = logs ? logTableOf(table) : undefined;
  const { read, write, insert = [], reign = REIGN, logged, deletes = false } = columns;
  const values = [quoted, log && quotedTable(log).table, read, write, reign, logged, insert];
  const role = String((await run('SELECT current_user AS role', [])).rows[0]?.role);
  const grants = grantsAs(role, grantsTo);
  try {
    const [row = {}] = (await run(RIGHTS, values)).rows;
    const services = { update: [...write, ...reign], insert, delete: deletes };
    const writers = [
      await otherWritersOf(rowsOf(run), table, services),
      log === undefined
        ? undefined
        : await otherWritersOf(rowsOf(run), log, { ...services, update: [], insert: logged }),
    ].filter((found) => found !== undefined);
    return {
      role,
      needed: [
        ...named('SELECT', row.read),
        ...named('UPDATE', row.write),
        ...named('INSERT', row.insert),
        ...named('INSERT', row.log, ` on ${log}`),
      ],
      forGuard: [...named('SELECT', row.read_reign), ...named('UPDATE', row.write_reign)],
      grants,
      writers,
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
function grantsAs(role: string, grantsTo: (role: string) => string): string {
  const placeholder = 'the_role';
  const quoted = `"${role.replaceAll('"', '""')}"`;
  return grantsTo(placeholder)
    .replaceAll(`"${placeholder}"`, () => quoted)
    .trimEnd()
    .replaceAll('\n', ' ');
}
