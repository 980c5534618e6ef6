import { runOn, type SqlExecutor, sqlError } from './executor.js';
import { segmentLogSchema } from './grant-log.js';
import { REIGN_COLUMNS, REIGN_TRIGGER, THIS_XACT, writtenByLastXact } from './reign.js';
import { DEFAULT_TABLE, logTableOf, quotedTable, type TableOptions } from './table-name.js';

export interface SchemaOptions extends TableOptions {
  /** Whether there is a grant log, a table of the same name with the suffix `_log`; default false. */
  readonly log?: boolean | undefined;
}

/**
 * The DDL of the segment table, for a migration: statements separated by semicolons. It is safe to run again,
 * also on a table of an older version, to which it adds what is missing. Needs Postgres 14 or later. The
 * trigger rejects everything that could make a sequence issue an id twice: a lower `max_id`, a renamed or
 * deleted row, TRUNCATE. A schema in the name must exist.
 */
export function segmentSchema(
  table: string = DEFAULT_TABLE,
  { log = false }: Omit<SchemaOptions, 'table'> = {},
): string {
  return log ? `${tableSchema(table)}\n${segmentLogSchema(table)}` : tableSchema(table);
}

function tableSchema(table: string): string {
  const { table: quoted, schemaPrefix } = quotedTable(table);
  return `CREATE TABLE IF NOT EXISTS ${quoted} (
  server_name text PRIMARY KEY CHECK (length(server_name) BETWEEN 1 AND 255),
  max_id bigint NOT NULL DEFAULT 0 CHECK (max_id BETWEEN 0 AND 9007199254740991),
  realm uuid NOT NULL DEFAULT gen_random_uuid(),
  group_by text CHECK (group_by IN ('day', 'month', 'year')),
  time_zone text,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((group_by IS NULL) = (time_zone IS NULL))
);

CREATE OR REPLACE FUNCTION ${schemaPrefix}"id_segment_guard"() RETURNS trigger LANGUAGE plpgsql AS $guard$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.max_id >= OLD.max_id AND NEW.server_name = OLD.server_name THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% of % refused: ids were given from it, so max_id only rises and rows stay', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$guard$;

CREATE OR REPLACE TRIGGER "id_segment_guard" BEFORE UPDATE OR DELETE ON ${quoted}
  FOR EACH ROW EXECUTE FUNCTION ${schemaPrefix}"id_segment_guard"();

CREATE OR REPLACE TRIGGER "id_segment_guard_truncate" BEFORE TRUNCATE ON ${quoted}
  FOR EACH STATEMENT EXECUTE FUNCTION ${schemaPrefix}"id_segment_guard"();

${reignSchema(table)}`;
}

/** One key for all tables, because tables in one schema share the guard function. The bytes of "idseg". */
const SCHEMA_LOCK = 0x69_64_73_65_67;

/**
 * Creates the segment table with its guard, and the grant log if requested, unless they exist; then it
 * changes nothing and takes no lock on the table. Any number of processes may call it at the same time. No
 * generator calls it: a service with fewer rights applies `segmentSchema()` in a migration instead.
 */
export async function ensureSchema(executor: SqlExecutor, options: SchemaOptions = {}): Promise<void> {
  const { table = DEFAULT_TABLE, log = false } = options;
  const { table: quoted } = quotedTable(table);
  // One statement, so that it is one transaction: two processes that create the same table at once would
  // collide.
  const text = `DO $ensure$
BEGIN
  PERFORM pg_advisory_xact_lock(${SCHEMA_LOCK});
  IF NOT ${isComplete(`'${quoted}'`)} THEN
${tableSchema(table)}
  END IF;
${log ? ensureLog(table) : ''}
END
$ensure$`;
  try {
    await executor.execute(text, []);
  } catch (error) {
    throw sqlError(error, table);
  }
}

/** What `ensureSchema` can create: the table, the guards of a table of an older version, the grant log. */
export type SchemaPart = 'table' | 'guards' | 'log';

/**
 * What `ensureSchema` would create with the same options. It changes nothing, and needs no right on the
 * table.
 */
export async function missingSchema(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<SchemaPart[]> {
  const values = [quotedTable(table).table, quotedTable(log ? logTableOf(table) : table).table];
  const [row] = (await runOn(executor, table)(MISSING, values)).rows;
  const parts: SchemaPart[] = [];
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
    WHERE tgrelid = to_regclass(${table}) AND tgname IN ('id_segment_guard_truncate', '${REIGN_TRIGGER}')
  ) = 2)`;
}

function ensureLog(table: string): string {
  const { table: log } = quotedTable(logTableOf(table));
  return `IF to_regclass('${log}') IS NULL THEN
${segmentLogSchema(table)}
  END IF;`;
}

/**
 * The columns of the reign and their trigger. An UPDATE that does not set them (from another version of this
 * package, from a role that may not write them, by hand) neither hides a change of the reign nor looks like
 * one: if the row was as its last reservation had left it, the trigger stores the transaction of the UPDATE.
 */
export function reignSchema(table: string): string {
  const { table: quoted, schemaPrefix } = quotedTable(table);
  const columns = Object.entries(REIGN_COLUMNS).map(
    ([name, type]) => `ADD COLUMN IF NOT EXISTS ${name} ${type}`,
  );
  return `ALTER TABLE ${quoted}
  ${columns.join(',\n  ')};

CREATE OR REPLACE FUNCTION ${schemaPrefix}"${REIGN_TRIGGER}"() RETURNS trigger LANGUAGE plpgsql AS $reign$
BEGIN
  NEW.last_xact := ${THIS_XACT};
  RETURN NEW;
END
$reign$;

CREATE OR REPLACE TRIGGER "${REIGN_TRIGGER}" BEFORE UPDATE ON ${quoted}
  FOR EACH ROW WHEN (NEW.last_xact = OLD.last_xact AND ${writtenByLastXact('OLD')})
  EXECUTE FUNCTION ${schemaPrefix}"${REIGN_TRIGGER}"();
`;
}
