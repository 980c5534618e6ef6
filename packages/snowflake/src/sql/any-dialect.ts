import { IdError } from '@ids/core';
import {
  anyDialect,
  assertOwner,
  assertSequenceName,
  defaultOwner,
  type SqlExecutor,
  type TableOptions,
} from '@ids/store';
import { guardedTables } from '@ids/store/guarded';
import { defaultLayout } from '../ids/id-format.js';
import { type Layout, layoutOf, slotsOf } from '../ids/layout.js';
import { parseSnowflake } from '../ids/parse.js';
import { mysqlDialect } from '../mysql/dialect.js';
import { MYSQL_SLOT_COLUMNS, MYSQL_SLOTS } from '../mysql/schema.js';
import { postgresDialect } from '../postgres/dialect.js';
import { SLOT_COLUMNS, SLOTS } from '../postgres/schema.js';
import { sqliteDialect } from '../sqlite/dialect.js';
import { SQLITE_SLOTS } from '../sqlite/schema.js';
import type {
  CreateSlotsOptions,
  DescribedSlots,
  NewSlots,
  SlotsSqlOptions,
  SqlSlotTableOptions,
} from '../table/dialect.js';
import { type Provenance, provenanceOf } from '../table/grant-log.js';
import type { SlotState } from '../table/slot-state.js';
import { DEFAULT_SLOT_TABLE } from '../table/wording.js';

// Those with the tag @function are listed among the functions of the API reference.

const { of } = anyDialect({ postgres: postgresDialect, mysql: mysqlDialect, sqlite: sqliteDialect });

const slotTables = guardedTables({
  defaultTable: DEFAULT_SLOT_TABLE,
  postgres: { guarded: SLOTS, columns: SLOT_COLUMNS },
  mysql: { guarded: MYSQL_SLOTS, columns: MYSQL_SLOT_COLUMNS },
  sqlite: { guarded: SQLITE_SLOTS },
});

/**
 * Slots in a table; each step that changes one is durable before its answer is used. Throws `ERR_IDS_CONFIG`
 * for a bad name or owner. The caller closes the executor.
 */
export function slotTable(executor: SqlExecutor, options: SqlSlotTableOptions): DescribedSlots {
  const { name, layout, table = DEFAULT_SLOT_TABLE, log = false, owner = defaultOwner() } = options;
  assertSequenceName(name);
  assertOwner(owner);
  return of(executor).slots(executor, { name, table, layout, log, owner });
}

/**
 * The DDL of the slot table, for a migration: statements separated by semicolons, safe to run again. Needs
 * Postgres 14, MariaDB 10.6, MySQL 8.0.29 or SQLite 3.35, or later. The table rejects everything that could
 * make a slot grant time twice: a lower `until_ms`, a renamed or deleted row and, on Postgres, TRUNCATE. A
 * check rejects slots that their layout does not have. A schema in the name must exist. It fails, and changes
 * nothing, on a table of another shape.
 * @function
 */
export const slotSchema = slotTables.schema;

/**
 * Creates the slot table with its guards, and the grant log if requested, unless they exist; then it changes
 * nothing. Any number of processes may call it at the same time. No generator calls it: a service with fewer
 * rights applies `slotSchema()` in a migration instead. Rejects with `ERR_IDS_CONFIG`, which names the
 * columns, if the table is of another shape; then nothing is changed.
 * @function
 */
export const ensureSlotSchema = slotTables.ensure;

/**
 * What `ensureSlotSchema` would create with the same options. It changes nothing, and needs no right on the
 * table; on MySQL the right TRIGGER, without which triggers cannot be seen. Rejects with a `WrongTableError`
 * for a table that `ensureSlotSchema` would refuse.
 * @function
 */
export const missingSlotSchema = slotTables.missing;

/**
 * The least rights of a service's role, as SQL for a migration. The role can claim, renew and give back
 * slots, and with `log` its windows are written to the log. It cannot create or delete a slot, nor read or
 * change the log, nor set the time in it. On MySQL the role is an account: `name`, or `name@host`.
 * @function
 */
export const slotGrants = slotTables.grants;

/**
 * The rights that the role of `executor` lacks on the table of slots and, with `log`, on its grant log. None
 * if there is no such table.
 * @function
 */
export const lackingSlotRights = slotTables.lackingRights;

/**
 * Adds the slots of a name to the table; those that exist stay as they are. Each open generator holds one of
 * them. Rejects with `ERR_IDS_CONFIG` if they exist with another layout; then it adds none.
 */
export async function createSlots(
  executor: SqlExecutor,
  name: string,
  options: CreateSlotsOptions = {},
): Promise<SlotState> {
  const wanted = newSlots(name, options);
  await of(executor).addSlots(executor, wanted);
  return slotTable(executor, wanted).describe();
}

/**
 * What `createSlots` does, with the same options, as SQL for a migration: two statements, safe to run again.
 * They add nothing if the slots exist with another layout. On Postgres and SQLite, the first claim of each
 * slot waits as long as one that noticed a failover, even with `startup: 'at-once'`, and stores in which
 * reign it is.
 */
export function slotsSql(name: string, options: SlotsSqlOptions = {}): string {
  const wanted = newSlots(name, options);
  const statements = [1, wanted.slots].map((slots) => of(options).addSql({ ...wanted, slots }));
  return statements.map((text) => `${text.trim()};\n`).join('');
}

/**
 * Who was granted the time of an id, and when. Rejects with `ERR_IDS_CONFIG` if there is no log. Needs
 * `SELECT` on the log. Rejects like `parseSnowflake` unless `id` fits the layout.
 */
export async function whoIssued(
  executor: SqlExecutor,
  name: string,
  id: number | bigint | string,
  layout: Layout,
  { table = DEFAULT_SLOT_TABLE }: TableOptions = {},
): Promise<Provenance> {
  assertSequenceName(name);
  const { slot, ms: timeMs } = parseSnowflake(id, layout);
  return provenanceOf(await of(executor).entriesOf(executor, { name, table, slot, timeMs }));
}

/** Throws `ERR_IDS_CONFIG` for bad options. */
function newSlots(name: string, options: CreateSlotsOptions): NewSlots {
  const { table = DEFAULT_SLOT_TABLE, layout: layoutName = defaultLayout(), epoch } = options;
  assertSequenceName(name);
  const layout = layoutOf(layoutName, epoch);
  const { slots = slotsOf(layout) } = options;
  if (Number.isInteger(slots) && slots >= 1 && slots <= slotsOf(layout))
    return { name, table, layout, slots };
  throw new IdError(
    'ERR_IDS_CONFIG',
    `slots must be a whole number from 1 to ${slotsOf(layout)}, got ${String(slots)}`,
  );
}
