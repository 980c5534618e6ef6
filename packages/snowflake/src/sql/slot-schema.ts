import type { SqlExecutor } from '@ids/segment/sql';
import {
  ensureGuardedTable,
  type GuardedTable,
  guardedTableSchema,
  missingParts,
  type SchemaPart,
  type TableShape,
  type TableWording,
} from '@ids/segment/table';

/** The table of slots unless another one is named. */
export const DEFAULT_SLOT_TABLE = 'id_slot';

export const SLOT_TABLE: TableWording = {
  what: 'slot table',
  create: 'ensureSlotSchema or slotSchema',
  grants: 'slotGrants',
  column: 'until_ms',
};

export interface SlotTableOptions {
  /** The table, `table` or `schema.table`; default `id_slot`. */
  readonly table?: string | undefined;
}

export interface SlotSchemaOptions extends SlotTableOptions {
  /** Whether there is a grant log, a table of the same name with the suffix `_log`; default false. */
  readonly log?: boolean | undefined;
}

/**
 * One row per window. The time is part of the key, so that a grant does not fail after the slot table went
 * back: the log then shows both. Generators never read the rows, so old ones may be deleted at any time.
 */
const SLOT_LOG: TableShape = {
  what: 'grant log of slots',
  columns: {
    name: 'text NOT NULL',
    slot: 'integer NOT NULL',
    from_ms: 'bigint NOT NULL',
    until_ms: 'bigint NOT NULL',
    owner: 'text NOT NULL CHECK (length(owner) BETWEEN 1 AND 255)',
    granted_at: 'timestamptz NOT NULL DEFAULT clock_timestamp()',
  },
  constraints: ['PRIMARY KEY (name, slot, from_ms, granted_at)', 'CHECK (from_ms < until_ms)'],
};

/** The check of a table: the bits of a slot that its layout does not have would be those of another one. */
export const IN_LAYOUT = 'id_slot_in_layout';

const SLOTS: GuardedTable = {
  wording: SLOT_TABLE,
  prefix: 'id_slot',
  shape: {
    what: SLOT_TABLE.what,
    columns: {
      name: 'text NOT NULL CHECK (length(name) BETWEEN 1 AND 255)',
      slot: 'integer NOT NULL CHECK (slot >= 0)',
      layout: 'text NOT NULL',
      until_ms: 'bigint NOT NULL DEFAULT 0 CHECK (until_ms >= 0)',
      since_ms: 'bigint NOT NULL DEFAULT 0',
      owner: 'uuid',
      label: 'text CHECK (length(label) BETWEEN 1 AND 255)',
    },
    constraints: ['PRIMARY KEY (name, slot)'],
    options: 'WITH (fillfactor = 50)',
    key: 'PRIMARY KEY (name, slot)',
  },
  added: {},
  keeps: `NEW.until_ms >= OLD.until_ms AND NEW.name = OLD.name AND NEW.slot = OLD.slot
    AND NEW.layout = OLD.layout`,
  // The second number of a layout is how many bits a slot has.
  checks: { [IN_LAYOUT]: "slot < (1 << substring(layout FROM '[+]([0-9]+)[+]')::integer)" },
  log: SLOT_LOG,
};

/**
 * The DDL of the slot table, for a migration: one statement, safe to run again. Needs Postgres 14 or later.
 * The trigger rejects everything that could make a slot grant time twice: a lower `until_ms`, a renamed or
 * deleted row, TRUNCATE. A check rejects slots that their layout does not have. A schema in the name must
 * exist. It fails, and changes nothing, on a table of another shape.
 */
export function slotSchema(
  table: string = DEFAULT_SLOT_TABLE,
  { log = false }: Omit<SlotSchemaOptions, 'table'> = {},
): string {
  return guardedTableSchema(SLOTS, table, log);
}

/**
 * Creates the slot table with its guards, and the grant log if requested, unless they exist; then it changes
 * nothing. Any number of processes may call it at the same time. No generator calls it: a service with fewer
 * rights applies `slotSchema()` in a migration instead. Rejects with `ERR_IDS_CONFIG`, which names the
 * columns, if the table is of another shape; then nothing is changed.
 */
export function ensureSlotSchema(executor: SqlExecutor, options: SlotSchemaOptions = {}): Promise<void> {
  const { table = DEFAULT_SLOT_TABLE, log = false } = options;
  return ensureGuardedTable(SLOTS, executor, table, log);
}

/**
 * What `ensureSlotSchema` would create with the same options. It changes nothing, and needs no right on the
 * table. Rejects with a `WrongTableError` for a table that `ensureSlotSchema` would refuse.
 */
export function missingSlotSchema(
  executor: SqlExecutor,
  { table = DEFAULT_SLOT_TABLE, log = false }: SlotSchemaOptions = {},
): Promise<SchemaPart[]> {
  return missingParts(SLOTS, executor, table, log);
}
