import { isIdError } from '@ids/core';
import type { SqlExecutor } from '../executor.js';
import type { SchemaPart } from '../schema.js';
import { SCHEMA_LOCK_SECONDS, tableInUse } from '../statement-error.js';
import { logTableOf, quotedTable } from '../table-name.js';
import {
  createTable,
  type TableShape,
  type TableWording,
  WrongTableError,
  wrongShape,
} from '../table-shape.js';
import { isLockTimeout, runOn } from './errors.js';
import { foundInstead } from './found-shape.js';
import { REIGN_COLUMNS, REIGN_TRIGGER, THIS_XACT, writtenByLastXact } from './reign.js';

/** A table from which something is granted: a number in each row only rises, and rows stay. */
export interface GuardedTable {
  readonly wording: TableWording;
  /** What the names of its triggers and their functions begin with. */
  readonly prefix: string;
  /** Without the columns of the reign. */
  readonly shape: TableShape;
  /** Columns that were added later, besides those of the reign, with their types. */
  readonly added: TableShape['columns'];
  /** False if its rows do not name the reign in which they were written. */
  readonly reign?: false | undefined;
  /** In SQL: whether an UPDATE from `OLD` to `NEW` lowers nothing and renames nothing. */
  readonly keeps: string;
  /** In SQL: whether the row `OLD` may be deleted. None may by default. */
  readonly deletable?: string | undefined;
  /**
   * In SQL, by the name of the constraint: what each row holds to that is written from then on, also in a
   * table of an older version.
   */
  readonly checks?: Readonly<Record<string, string>> | undefined;
  /** Its grant log, if it can have one. */
  readonly log?: TableShape | undefined;
}

/** The names of the triggers that guard a table. */
export function guardTriggers(prefix: string): string[] {
  return ['', '_delete', '_truncate'].map((what) => `${prefix}_guard${what}`);
}

/**
 * The triggers of a table, and `tgenabled` of each. The guard fires ALWAYS: for the worker of a subscription,
 * which would otherwise write an older number back, and where `session_replication_role` is `replica`. The
 * trigger of the reign fires for sessions only: what a subscription writes is no reservation of this server.
 */
function triggersOf({ prefix, reign }: GuardedTable): { readonly name: string; readonly mode: 'A' | 'O' }[] {
  return [
    ...guardTriggers(prefix).map((name) => ({ name, mode: 'A' }) as const),
    ...(reign === false ? [] : [{ name: REIGN_TRIGGER, mode: 'O' } as const]),
  ];
}

/**
 * For a table `c`: its triggers that fire for sessions, and those that fire for subscriptions. Both may be
 * null.
 */
export const TRIGGER_FACTS = [
  ['guards', "IN ('O', 'A')"],
  ['always', "= 'A'"],
]
  .map(([name, mode]) => {
    return `(SELECT array_agg(t.tgname::text) FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgenabled ${mode}) AS ${name}`;
  })
  .join(',\n  ');

/**
 * One key for all tables and procedures, because tables in one schema share their functions. The bytes of
 * "idseg".
 */
export const SCHEMA_LOCK = 0x69_64_73_65_67;

/**
 * The DDL of the table and its guard, and of its grant log if there is one: one statement, so that it is one
 * transaction, which two processes do not run at once, and which changes nothing unless all of it is done. A
 * table of an older version gets what it lacks, unless others keep it in use for longer than
 * `SCHEMA_LOCK_SECONDS`, or the `lock_timeout` of the session. One that is complete is not locked. A table of
 * somebody else is refused: it is looked at after CREATE TABLE, so that nobody can create it in between.
 */
export function guardedTableSchema(guarded: GuardedTable, table: string, log: boolean): string {
  const { table: quoted } = quotedTable(table);
  const body = `
DECLARE
  found text;
  given text;
  waits text := current_setting('lock_timeout');
BEGIN
  PERFORM pg_advisory_xact_lock(${SCHEMA_LOCK});
${ownTable(guarded.shape, table, laterColumns(guarded))}
  IF NOT ${isComplete(guarded, `'${quoted}'`)} THEN
    IF waits = '0' THEN PERFORM set_config('lock_timeout', '${SCHEMA_LOCK_SECONDS}s', true); END IF;
${guardSchema(guarded, table)}
    PERFORM set_config('lock_timeout', waits, true);
  END IF;
${log && guarded.log ? ownTable(guarded.log, logTableOf(table), {}) : ''}END
`;
  return `DO $ids$${body}$ids$;\n`;
}

function laterColumns({ added, reign }: GuardedTable): TableShape['columns'] {
  return reign === false ? added : { ...REIGN_COLUMNS, ...added };
}

/** The DDL of a table without guards, which is refused if it is of somebody else. */
export function plainTableSchema(shape: TableShape, table: string): string {
  const body = `
DECLARE
  found text;
  given text;
BEGIN
  PERFORM pg_advisory_xact_lock(${SCHEMA_LOCK});
${ownTable(shape, table, {})}END
`;
  return `DO $ids$${body}$ids$;\n`;
}

/**
 * Creates the table unless it exists, and raises an error if it is of another shape. What default privileges
 * gave others on the new table is taken from them: whoever may write it can end a sequence for good. Nothing
 * is taken from anybody on a table that exists, where a right may have been granted on purpose.
 */
function ownTable(shape: TableShape, table: string, later: TableShape['columns']): string {
  const { table: quoted } = quotedTable(table);
  return `
  IF to_regclass('${quoted}') IS NULL THEN
${createTable(shape, quoted).replace(' IF NOT EXISTS', '')};
    FOR given IN SELECT DISTINCT CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END
      FROM pg_class c CROSS JOIN aclexplode(c.relacl) x WHERE c.oid = to_regclass('${quoted}') AND x.grantee <> c.relowner
    LOOP
      EXECUTE 'REVOKE ALL ON ${quoted} FROM ' || given;
    END LOOP;
  END IF;
  found := ${foundInstead(shape, `'${quoted}'`, later)};
  IF found IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'wrong_object_type', MESSAGE = '${wrongShape(shape, table).replaceAll("'", "''")}' || found;
  END IF;
`;
}

/**
 * What is allowed does not call the function: of an UPDATE of many rows, a condition costs half as much for
 * each. Of one row, they cost the same. It is looked at after the UPDATE: before it, the server would lock
 * each row in a step of its own, with an entry in its log, and a later trigger could change what was seen.
 */
function guardSchema(guarded: GuardedTable, table: string): string {
  const { prefix, keeps, deletable = 'false', wording } = guarded;
  const { table: quoted, schemaPrefix } = quotedTable(table);
  return `
CREATE OR REPLACE FUNCTION ${schemaPrefix}"${prefix}_guard"() RETURNS trigger LANGUAGE plpgsql AS $guard$
BEGIN
  RAISE EXCEPTION '% on % rejected: its ids have been issued. ${wording.column} can only increase, and rows cannot be deleted or renamed',
    TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$guard$;

CREATE OR REPLACE TRIGGER "${prefix}_guard" AFTER UPDATE ON ${quoted}
  FOR EACH ROW WHEN ((${keeps}) IS NOT TRUE) EXECUTE FUNCTION ${schemaPrefix}"${prefix}_guard"();

CREATE OR REPLACE TRIGGER "${prefix}_guard_delete" BEFORE DELETE ON ${quoted}
  FOR EACH ROW WHEN ((${deletable}) IS NOT TRUE) EXECUTE FUNCTION ${schemaPrefix}"${prefix}_guard"();

CREATE OR REPLACE TRIGGER "${prefix}_guard_truncate" BEFORE TRUNCATE ON ${quoted}
  FOR EACH STATEMENT EXECUTE FUNCTION ${schemaPrefix}"${prefix}_guard"();

${checksSchema(guarded, quoted)}${guarded.reign === false ? '' : reignSchema(table, laterColumns(guarded))}
ALTER TABLE ${quoted}
  ${triggersOf(guarded)
    .map(({ name, mode }) => `ENABLE ${mode === 'A' ? 'ALWAYS ' : ''}TRIGGER "${name}"`)
    .join(',\n  ')};
`;
}

/** Not validated: a row that does not hold to a check must not keep the others from being guarded. */
function checksSchema({ checks = {} }: GuardedTable, quoted: string): string {
  const statements = Object.entries(checks).map(
    ([name, holds]) => `ALTER TABLE ${quoted} DROP CONSTRAINT IF EXISTS "${name}",
  ADD CONSTRAINT "${name}" CHECK (${holds}) NOT VALID;

`,
  );
  return statements.join('');
}

/**
 * The columns of the reign and their trigger. An UPDATE that does not set them (from another version of this
 * package, from a role that may not write them, by hand) neither hides a change of the reign nor looks like
 * one: if the row was as its last reservation had left it, the trigger stores the transaction of the UPDATE.
 */
function reignSchema(table: string, later: TableShape['columns']): string {
  const { table: quoted, schemaPrefix } = quotedTable(table);
  const columns = Object.entries(later).map(([name, type]) => `ADD COLUMN IF NOT EXISTS ${name} ${type}`);
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

/**
 * Runs `guardedTableSchema`. Any number of processes may call it at the same time. Rejects with
 * `ERR_IDS_TIMEOUT` if others keep a table in use that lacks something; then nothing was
 * changed.
 */
export async function ensureGuardedTable(
  guarded: GuardedTable,
  executor: SqlExecutor,
  table: string,
  log: boolean,
): Promise<void> {
  try {
    await runOn(executor, table, guarded.wording)(guardedTableSchema(guarded, table, log), []);
  } catch (error) {
    if (!isIdError(error) || !isLockTimeout(error.cause)) throw error;
    throw tableInUse(error.cause, `${guarded.wording.what} ${table}`);
  }
}

/**
 * What `ensureGuardedTable` would create. It changes nothing, and needs no right on the table. Rejects with a
 * `WrongTableError` for a table that it would refuse.
 */
export async function missingParts(
  guarded: GuardedTable,
  executor: SqlExecutor,
  table: string,
  log: boolean,
): Promise<SchemaPart[]> {
  const { wording, shape, log: logShape } = guarded;
  const logTable = log && logShape ? logTableOf(table) : undefined;
  const text = `
SELECT to_regclass($1) IS NOT NULL AS present, ${isComplete(guarded, '$1')} AS complete, to_regclass($2) IS NOT NULL AS logged,
  ${foundInstead(shape, '$1', laterColumns(guarded))} AS found, ${logShape ? foundInstead(logShape, '$2', {}) : '$2'} AS log_found`;
  const values = [quotedTable(table).table, logTable === undefined ? null : quotedTable(logTable).table];
  const [row] = (await runOn(executor, table, wording)(text, values)).rows;
  const wrong = (its: TableShape, name: string, found: unknown): WrongTableError =>
    new WrongTableError(`${wording.what} ${table}`, `${wrongShape(its, name)}${String(found)}`);
  if (typeof row?.found === 'string') throw wrong(shape, table, row.found);
  if (logShape && typeof row?.log_found === 'string') {
    throw wrong(logShape, logTableOf(table), row.log_found);
  }
  const parts: SchemaPart[] = [];
  if (row?.present !== true) parts.push('table');
  else if (row.complete !== true) parts.push('guards');
  if (logTable !== undefined && row?.logged !== true) parts.push('log');
  return parts;
}

/**
 * Whether a table has all columns of the reign, all checks and all triggers, each in its mode; `table` is its
 * quoted name, in SQL.
 */
function isComplete(guarded: GuardedTable, table: string): string {
  const columns = Object.keys(laterColumns(guarded));
  const triggers = triggersOf(guarded);
  const checks = Object.keys(guarded.checks ?? {});
  const checked =
    checks.length === 0
      ? ''
      : ` AND (
    SELECT count(*) FROM pg_constraint
    WHERE conrelid = to_regclass(${table}) AND conname IN (${checks.map((name) => `'${name}'`).join(', ')})
  ) = ${checks.length}`;
  const present =
    columns.length === 0
      ? ''
      : ` AND (
    SELECT count(*) FROM pg_attribute
    WHERE attrelid = to_regclass(${table}) AND attname IN (${columns.map((name) => `'${name}'`).join(', ')}) AND NOT attisdropped
  ) = ${columns.length}`;
  return `((
    SELECT count(*) FROM pg_trigger
    WHERE tgrelid = to_regclass(${table}) AND (tgname, tgenabled) IN (${triggers.map(({ name, mode }) => `('${name}', '${mode}')`).join(', ')})
  ) = ${triggers.length}${present}${checked})`;
}
