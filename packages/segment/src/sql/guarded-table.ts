import { runOn, type SqlExecutor, type TableWording } from './executor.js';
import { REIGN_COLUMNS, REIGN_TRIGGER, THIS_XACT, writtenByLastXact } from './reign.js';
import { logTableOf, quotedTable } from './table-name.js';

/** A table from which something is granted: a number in each row only rises, and rows stay. */
export interface GuardedTable {
  readonly wording: TableWording;
  /** What the names of its triggers and their functions begin with. */
  readonly prefix: string;
  /** Its columns and what follows them, without those of the reign. */
  readonly columns: string;
  /** In SQL: whether an UPDATE from `OLD` to `NEW` lowers nothing and renames nothing. */
  readonly keeps: string;
  /** The DDL of the grant log of the table with this name. */
  readonly logSchema: (table: string) => string;
}

/** The DDL of the table and its guard, and of its grant log if there is one; safe to run again. */
export function guardedTableSchema(guarded: GuardedTable, table: string, log: boolean): string {
  return log ? `${tableSchema(guarded, table)}\n${guarded.logSchema(table)}` : tableSchema(guarded, table);
}

function tableSchema({ prefix, columns, keeps, wording }: GuardedTable, table: string): string {
  const { table: quoted, schemaPrefix } = quotedTable(table);
  return `CREATE TABLE IF NOT EXISTS ${quoted} ${columns};

CREATE OR REPLACE FUNCTION ${schemaPrefix}"${prefix}_guard"() RETURNS trigger LANGUAGE plpgsql AS $guard$
BEGIN
  IF TG_OP = 'UPDATE' AND ${keeps} THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% of % refused: ids were given from it, so ${wording.column} only rises and rows stay', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$guard$;

CREATE OR REPLACE TRIGGER "${prefix}_guard" BEFORE UPDATE OR DELETE ON ${quoted}
  FOR EACH ROW EXECUTE FUNCTION ${schemaPrefix}"${prefix}_guard"();

CREATE OR REPLACE TRIGGER "${prefix}_guard_truncate" BEFORE TRUNCATE ON ${quoted}
  FOR EACH STATEMENT EXECUTE FUNCTION ${schemaPrefix}"${prefix}_guard"();

${reignSchema(table)}`;
}

/**
 * The columns of the reign and their trigger. An UPDATE that does not set them (from another version of this
 * package, from a role that may not write them, by hand) neither hides a change of the reign nor looks like
 * one: if the row was as its last reservation had left it, the trigger stores the transaction of the UPDATE.
 */
function reignSchema(table: string): string {
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

/** One key for all tables, because tables in one schema share their functions. The bytes of "idseg". */
const SCHEMA_LOCK = 0x69_64_73_65_67;

/**
 * Creates the table with its guard, and the grant log if requested, unless they exist; then it changes
 * nothing and takes no lock on the table. Any number of processes may call it at the same time.
 */
export async function ensureGuardedTable(
  guarded: GuardedTable,
  executor: SqlExecutor,
  table: string,
  log: boolean,
): Promise<void> {
  // One statement, so that it is one transaction: two processes that create the same table at once would
  // collide.
  const text = `DO $ensure$
BEGIN
  PERFORM pg_advisory_xact_lock(${SCHEMA_LOCK});
  IF NOT ${isComplete(guarded, `'${quotedTable(table).table}'`)} THEN
${tableSchema(guarded, table)}
  END IF;
${log ? ensureLog(guarded, table) : ''}
END
$ensure$`;
  await runOn(executor, table, guarded.wording)(text, []);
}

/** What can be missing: the table, the guards of a table of an older version, the grant log. */
export type SchemaPart = 'table' | 'guards' | 'log';

/** What `ensureGuardedTable` would create. It changes nothing, and needs no right on the table. */
export async function missingParts(
  guarded: GuardedTable,
  executor: SqlExecutor,
  table: string,
  log: boolean,
): Promise<SchemaPart[]> {
  const text = `
SELECT to_regclass($1) IS NOT NULL AS present, ${isComplete(guarded, '$1')} AS complete, to_regclass($2) IS NOT NULL AS logged`;
  const values = [quotedTable(table).table, quotedTable(log ? logTableOf(table) : table).table];
  const [row] = (await runOn(executor, table, guarded.wording)(text, values)).rows;
  const parts: SchemaPart[] = [];
  if (row?.present !== true) parts.push('table');
  else if (row.complete !== true) parts.push('guards');
  if (log && row?.logged !== true) parts.push('log');
  return parts;
}

/** Whether a table has all triggers; `table` is its quoted name, in SQL. */
function isComplete({ prefix }: GuardedTable, table: string): string {
  return `((
    SELECT count(*) FROM pg_trigger
    WHERE tgrelid = to_regclass(${table}) AND tgname IN ('${prefix}_guard_truncate', '${REIGN_TRIGGER}')
  ) = 2)`;
}

function ensureLog({ logSchema }: GuardedTable, table: string): string {
  const { table: log } = quotedTable(logTableOf(table));
  return `IF to_regclass('${log}') IS NULL THEN
${logSchema(table)}
  END IF;`;
}
