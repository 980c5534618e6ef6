import { isIdError } from '@ids/core';
import type { SqlExecutor } from '../executor.js';
import type { SchemaPart } from '../schema.js';
import { tableInUse } from '../statement-error.js';
import { createTable, type TableShape, type TableWording } from '../table-shape.js';
import { addColumns, LIMIT_LOCKS, lackedColumns } from './add-columns.js';
import { isLockTimeout } from './errors.js';
import { assertShapes } from './found-shape.js';
import type { MysqlExecutor } from './pool.js';
import { INSERTED, SERVER_HERE, tableHere } from './reign.js';
import { tableSql } from './table-sql.js';
import { type MysqlTable, mysqlTable, type TriggerSuffix } from './text.js';

/** When triggers fire and the one statement of each, by what it is for, in the order of their creation. */
type Triggers = {
  readonly [Suffix in TriggerSuffix]?: readonly [
    when: `${'BEFORE' | 'AFTER'} ${'INSERT' | 'UPDATE' | 'DELETE'}`,
    statement: string,
  ];
};

/** As in `../postgres/guarded-table.ts`: a number in each row only rises, and rows stay. */
export interface MysqlGuardedTable {
  readonly wording: TableWording;
  /** With `reign_server` and `reign_table`, unless its rows do not name their reign. */
  readonly shape: TableShape;
  /** Columns that were added later. A table of an older version is usable without them. */
  readonly added?: TableShape['columns'] | undefined;
  /** Named after the table. */
  readonly constraints: (table: MysqlTable) => readonly string[];
  /** A table that has them is complete. */
  readonly triggers: (table: MysqlTable) => Triggers;
  /** Its grant log, if it can have one. */
  readonly log?: TableShape | undefined;
  /** Triggers of the grant log itself. */
  readonly triggersOfLog?: ((table: MysqlTable) => Triggers) | undefined;
  /** Triggers of the table that a grant log needs. A log that has them is complete. */
  readonly logTriggers?: ((table: MysqlTable) => Triggers) | undefined;
}

/** For the trigger of INSERT: stores the reign in a new row, or marks a row that came with one. */
export function insertedReign(table: MysqlTable): string {
  return `NEW.reign_server = IF(NEW.reign_table IS NULL, ${SERVER_HERE}, '${INSERTED}'),
    NEW.reign_table = coalesce(NEW.reign_table, ${tableHere(table)})`;
}

/**
 * The DDL of the table and, with `log`, of its grant log. Each trigger is one statement, so the text can be
 * run by every client that separates statements by semicolons. It adds no columns to a table that exists,
 * which would have to be locked meanwhile: see `addColumns`.
 */
export function mysqlGuardedSchema(guarded: MysqlGuardedTable, table: string, log: boolean): string {
  const text = statements(guarded, mysqlTable(table), log)
    .map((statement) => `${statement};\n`)
    .join('\n');
  const added = Object.keys(guarded.added ?? {});
  if (added.length === 0) return text;
  return `-- To a table without ${added.join(', ')}, only ids apply and ensureSchema add them.\n${text}`;
}

function statements(guarded: MysqlGuardedTable, table: MysqlTable, log: boolean): string[] {
  const { shape, added, log: logShape, triggersOfLog = () => ({}), logTriggers = () => ({}) } = guarded;
  const constraints = guarded.constraints(table);
  return [
    createTable({ ...shape, columns: { ...shape.columns, ...added }, constraints }, table.quoted),
    probe(shape, table.quoted),
    ...createTriggers(table, guarded.triggers(table)),
    ...(log && logShape
      ? [
          createTable(logShape, table.log),
          probe(logShape, table.log),
          ...createTriggers({ ...table, quoted: table.log }, triggersOfLog(table)),
          ...createTriggers(table, logTriggers(table)),
        ]
      : []),
  ];
}

/**
 * A statement that changes nothing, and fails on a table without these columns: a migration ends there,
 * before the table of somebody else gets a trigger. `ensureMysqlTable` has compared the columns before.
 */
function probe({ columns }: TableShape, quoted: string): string {
  return `SELECT ${Object.keys(columns).join(', ')} FROM ${quoted} WHERE FALSE`;
}

function createTriggers({ quoted, trigger }: MysqlTable, triggers: Triggers): string[] {
  return Object.entries(triggers).map(([suffix, [when, statement]]) => {
    const name = trigger(suffix as TriggerSuffix);
    return `CREATE TRIGGER IF NOT EXISTS ${name} ${when} ON ${quoted} FOR EACH ROW\n  ${statement}`;
  });
}

/**
 * Creates what is missing, and refuses what Postgres refuses. DDL commits by itself here, so this is not one
 * transaction. But each statement creates one thing or finds it there: run twice, or by two at once, or again
 * after a loss in the middle, the result is the same. Rejects with `ERR_IDS_TIMEOUT` if others keep a table
 * in use that lacks something.
 */
export async function ensureMysqlTable(
  guarded: MysqlGuardedTable,
  executor: SqlExecutor,
  table: string,
  log: boolean,
): Promise<void> {
  const isComplete = async () => (await missingMysqlParts(guarded, executor, table, log)).length === 0;
  if (await isComplete()) return;
  const [sql, names] = [tableSql(executor as MysqlExecutor, table, guarded.wording), mysqlTable(table)];
  try {
    if (guarded.added !== undefined) {
      await addColumns(sql, names, guarded.added);
      // Even a trigger that exists waits for all who use the table, and so does whatever comes after it.
      if (await isComplete()) return;
    }
    await sql.apart(async (run) => {
      await run(LIMIT_LOCKS);
      for (const statement of statements(guarded, names, log)) await run(statement);
    });
  } catch (error) {
    if (!isIdError(error) || !isLockTimeout(error.cause)) throw error;
    throw tableInUse(error.cause, `${guarded.wording.what} ${table}`);
  }
}

/**
 * What `ensureMysqlTable` would create. Needs the right TRIGGER to see triggers; whoever creates them has it.
 * Rejects with a `WrongTableError` for a table that it would refuse.
 */
export async function missingMysqlParts(
  guarded: MysqlGuardedTable,
  executor: SqlExecutor,
  table: string,
  log: boolean,
): Promise<SchemaPart[]> {
  const { wording, shape, added = {} } = guarded;
  const names = mysqlTable(table);
  const text = `SELECT
  (SELECT count(*) FROM information_schema.TABLES WHERE ${names.isThis}) AS present,
  (SELECT count(*) FROM information_schema.TABLES WHERE ${names.isLog}) AS logged,
  (SELECT group_concat(TRIGGER_NAME) FROM information_schema.TRIGGERS WHERE ${names.isOfThis}) AS triggers`;
  const sql = tableSql(executor as MysqlExecutor, table, wording);
  await sql.attempt(() =>
    assertShapes(executor, `${wording.what} ${table}`, [
      { shape, added, name: table, where: names.isThis },
      ...(log && guarded.log ? [{ shape: guarded.log, name: `${table}_log`, where: names.isLog }] : []),
    ]),
  );
  const [row] = await sql.rows(text);
  const found = String(row?.triggers ?? '').split(',');
  const hasAll = (triggers: Triggers): boolean =>
    Object.keys(triggers).every((suffix) => found.some((name) => `\`${name}\`` === names.own(suffix)));
  const parts: SchemaPart[] = [];
  if (Number(row?.present) === 0) parts.push('table');
  else if (!hasAll(guarded.triggers(names)) || (await lackedColumns(sql.rows, names, added)).length > 0)
    parts.push('guards');
  if (log && (Number(row?.logged) === 0 || !hasAll(guarded.logTriggers?.(names) ?? {}))) parts.push('log');
  return parts;
}
