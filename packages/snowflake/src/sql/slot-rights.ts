import { quotedTable, type SqlExecutor } from '@ids/segment/sql';
import {
  type LackingRights,
  logTableOf,
  quotedRole,
  REIGN_COLUMNS,
  rightsLackedOn,
} from '@ids/segment/table';
import { DEFAULT_SLOT_TABLE, SLOT_TABLE, type SlotSchemaOptions } from './slot-schema.js';

/** The columns that a service only reads, those that it also writes, and those of the log. */
const FIXED = ['name', 'slot', 'layout'];
const WRITTEN = ['owner', 'label', 'since_ms', 'until_ms'];
const LOGGED = ['name', 'slot', 'from_ms', 'until_ms', 'owner'];

/**
 * The least rights of a service's role, as SQL for a migration. The role can claim, renew and give back
 * slots, and with `log` write its windows to the log. It cannot create or delete a slot, nor read or change
 * the log, nor set the time in it.
 */
export function slotGrants(
  role: string,
  { table = DEFAULT_SLOT_TABLE, log = false }: SlotSchemaOptions = {},
): string {
  const to = `TO ${quotedRole(role)};\n`;
  const { table: quoted, schema } = quotedTable(table);
  const reign = Object.keys(REIGN_COLUMNS).join(', ');
  const written = `${WRITTEN.join(', ')}, ${reign}`;
  const useSchema = schema === undefined ? '' : `GRANT USAGE ON SCHEMA ${schema} ${to}`;
  const useTable = `GRANT SELECT (${FIXED.join(', ')}, ${written}, xmin), UPDATE (${written}) ON ${quoted} ${to}`;
  if (!log) return useSchema + useTable;
  const { table: quotedLog } = quotedTable(logTableOf(table));
  return `${useSchema}${useTable}GRANT INSERT (${LOGGED.join(', ')}) ON ${quotedLog} ${to}`;
}

/**
 * The rights that the role of `executor` lacks on the table of slots and, with `log`, on its grant log. None
 * if there is no such table.
 */
export async function lackingSlotRights(
  executor: SqlExecutor,
  { table = DEFAULT_SLOT_TABLE, log = false }: SlotSchemaOptions = {},
): Promise<LackingRights> {
  return rightsLackedOn(executor, {
    table,
    log: log ? logTableOf(table) : undefined,
    read: [...FIXED, ...WRITTEN],
    write: WRITTEN,
    logged: LOGGED,
    wording: SLOT_TABLE,
    grantsTo: (role) => slotGrants(role, { table, log }),
  });
}
