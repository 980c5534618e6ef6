import { quotedTable, type SqlExecutor } from '@ids/segment/sql';
import { logTableOf, REIGN_TRIGGER, reignSchema, runOn, type TableWording } from '@ids/segment/table';

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
 * The DDL of the slot table, for a migration: statements separated by semicolons, safe to run again. Needs
 * Postgres 14 or later. The trigger rejects everything that could make a slot grant time twice: a lower
 * `until_ms`, a renamed or deleted row, TRUNCATE. A schema in the name must exist.
 */
export function slotSchema(
  table: string = DEFAULT_SLOT_TABLE,
  { log = false }: Omit<SlotSchemaOptions, 'table'> = {},
): string {
  return log ? `${tableSchema(table)}\n${logSchema(table)}` : tableSchema(table);
}

function tableSchema(table: string): string {
  const { table: quoted, schemaPrefix } = quotedTable(table);
  return `CREATE TABLE IF NOT EXISTS ${quoted} (
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  slot integer NOT NULL CHECK (slot >= 0),
  layout text NOT NULL,
  until_ms bigint NOT NULL DEFAULT 0 CHECK (until_ms >= 0),
  since_ms bigint NOT NULL DEFAULT 0,
  owner uuid,
  label text CHECK (length(label) BETWEEN 1 AND 255),
  PRIMARY KEY (name, slot)
) WITH (fillfactor = 50);

CREATE OR REPLACE FUNCTION ${schemaPrefix}"id_slot_guard"() RETURNS trigger LANGUAGE plpgsql AS $guard$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.until_ms >= OLD.until_ms AND NEW.name = OLD.name AND NEW.slot = OLD.slot
    AND NEW.layout = OLD.layout THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% of % refused: ids were given from it, so until_ms only rises and rows stay', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$guard$;

CREATE OR REPLACE TRIGGER "id_slot_guard" BEFORE UPDATE OR DELETE ON ${quoted}
  FOR EACH ROW EXECUTE FUNCTION ${schemaPrefix}"id_slot_guard"();

CREATE OR REPLACE TRIGGER "id_slot_guard_truncate" BEFORE TRUNCATE ON ${quoted}
  FOR EACH STATEMENT EXECUTE FUNCTION ${schemaPrefix}"id_slot_guard"();

${reignSchema(table)}`;
}

/**
 * One row per window. The time is part of the key, so that a grant does not fail after the slot table went
 * back: the log then shows both. Generators never read the rows, so old ones may be deleted at any time.
 */
function logSchema(table: string): string {
  const { table: log } = quotedTable(logTableOf(table));
  return `CREATE TABLE IF NOT EXISTS ${log} (
  name text NOT NULL,
  slot integer NOT NULL,
  from_ms bigint NOT NULL,
  until_ms bigint NOT NULL,
  owner text NOT NULL CHECK (length(owner) BETWEEN 1 AND 255),
  granted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (name, slot, from_ms, granted_at),
  CHECK (from_ms < until_ms)
);
`;
}

/** One key for all tables, because tables in one schema share the guard functions. The bytes of "idseg". */
const SCHEMA_LOCK = 0x69_64_73_65_67;

/**
 * Creates the slot table with its guards, and the grant log if requested, unless they exist; then it changes
 * nothing. Any number of processes may call it at the same time. No generator calls it: a service with fewer
 * rights applies `slotSchema()` in a migration instead.
 */
export async function ensureSlotSchema(
  executor: SqlExecutor,
  options: SlotSchemaOptions = {},
): Promise<void> {
  const { table = DEFAULT_SLOT_TABLE, log = false } = options;
  const { table: quoted } = quotedTable(table);
  // One statement, so that it is one transaction: two processes that create the same table at once would
  // collide.
  const text = `DO $ensure$
BEGIN
  PERFORM pg_advisory_xact_lock(${SCHEMA_LOCK});
  IF NOT ${isComplete(`'${quoted}'`)} THEN
${tableSchema(table)}
  END IF;
${log ? `IF to_regclass('${quotedTable(logTableOf(table)).table}') IS NULL THEN\n${logSchema(table)}\n  END IF;` : ''}
END
$ensure$`;
  await runOn(executor, table, SLOT_TABLE)(text, []);
}

/** What `ensureSlotSchema` can create. */
export type SlotSchemaPart = 'table' | 'guards' | 'log';

/**
 * What `ensureSlotSchema` would create with the same options. It changes nothing, and needs no right on the
 * table.
 */
export async function missingSlotSchema(
  executor: SqlExecutor,
  { table = DEFAULT_SLOT_TABLE, log = false }: SlotSchemaOptions = {},
): Promise<SlotSchemaPart[]> {
  const values = [quotedTable(table).table, quotedTable(log ? logTableOf(table) : table).table];
  const [row] = (await runOn(executor, table, SLOT_TABLE)(MISSING, values)).rows;
  const parts: SlotSchemaPart[] = [];
  if (row?.present !== true) parts.push('table');
  else if (row.complete !== true) parts.push('guards');
  if (log && row?.logged !== true) parts.push('log');
  return parts;
}

/** $1 the table, quoted; $2 its grant log, quoted. */
const MISSING = `
SELECT to_regclass($1) IS NOT NULL AS present, ${isComplete('$1')} AS complete, to_regclass($2) IS NOT NULL AS logged`;

/** Whether a table has all triggers; `table` is its quoted name, in SQL. */
function isComplete(table: string): string {
  return `((
    SELECT count(*) FROM pg_trigger
    WHERE tgrelid = to_regclass(${table}) AND tgname IN ('id_slot_guard_truncate', '${REIGN_TRIGGER}')
  ) = 2)`;
}
