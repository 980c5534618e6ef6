import type { SqlExecutor } from '../executor.js';
import type { SchemaPart } from '../schema.js';
import { createTable, type TableShape, type TableWording } from '../table-shape.js';
import { sqliteError } from './errors.js';
import { assertShape } from './found-shape.js';
import { literal, type SqliteTable, sqliteTable } from './text.js';

/** When triggers fire, with their condition, and the one statement of each, by what it is for. */
export type SqliteTriggers = Readonly<Record<string, readonly [when: string, statement: string]>>;

/** As in `../postgres/guarded-table.ts`: a number in each row only rises, and rows stay. */
export interface SqliteGuardedTable {
  readonly wording: TableWording;
  /** With `REIGN_COLUMNS`, and a primary key that `options: 'WITHOUT ROWID'` makes the only one. */
  readonly shape: TableShape;
  /** A table that has them is complete. */
  readonly triggers: (table: SqliteTable) => SqliteTriggers;
  /** Its grant log, if it can have one. */
  readonly log?: TableShape | undefined;
  /** Triggers of the table that a grant log needs. A log that has them is complete. */
  readonly logTriggers?: ((table: SqliteTable) => SqliteTriggers) | undefined;
}

/** A trigger's statement that refuses what fires it, and undoes the statement that did. */
export function refuse(message: string): string {
  return `SELECT RAISE(ABORT, ${literal(message)})`;
}

/**
 * For `triggers`: refuses to replace a row. Without it, INSERT OR REPLACE deletes the old one, and triggers
 * of DELETE are not told, unless recursive triggers are on. `key`: the columns of the primary key.
 */
export function notReplaced(quoted: string, ...key: readonly string[]): SqliteTriggers[string] {
  const isRow = key.map((column) => `${column} = NEW.${column}`).join(' AND ');
  return [
    `BEFORE INSERT ON ${quoted} WHEN EXISTS (SELECT 1 FROM ${quoted} WHERE ${isRow})`,
    refuse('UNIQUE constraint: INSERT rejected: the row exists, and rows cannot be replaced'),
  ];
}

/**
 * The DDL of the table and, with `log`, of its grant log, for a migration: it is safe to run again.
 */
export function sqliteGuardedSchema(guarded: SqliteGuardedTable, table: string, log: boolean): string {
  return statements(guarded, sqliteTable(table), log)
    .map((statement) => `${statement};\n`)
    .join('\n');
}

function statements(guarded: SqliteGuardedTable, table: SqliteTable, log: boolean): string[] {
  const { shape, log: logShape, triggers, logTriggers = () => ({}) } = guarded;
  return [
    createTable(shape, table.quoted),
    probe(shape, table.quoted),
    ...createTriggers(table, triggers(table)),
    ...(log && logShape
      ? [
          createTable(logShape, table.log),
          probe(logShape, table.log),
          ...createTriggers(table, logTriggers(table)),
        ]
      : []),
  ];
}

/** As on MySQL: ends a migration on the table of somebody else, before that gets a trigger. */
function probe({ columns }: TableShape, quoted: string): string {
  return `SELECT ${Object.keys(columns).join(', ')} FROM ${quoted} WHERE 0`;
}

function createTriggers(table: SqliteTable, triggers: SqliteTriggers): string[] {
  return Object.entries(triggers).map(
    ([suffix, [when, statement]]) =>
      `CREATE TRIGGER IF NOT EXISTS "${table.trigger(suffix)}" ${when}\nBEGIN\n  ${statement};\nEND`,
  );
}

/**
 * Creates what is missing, and refuses what Postgres refuses. Each statement creates one thing or finds it
 * there: run twice, or by two at once, or again after a loss in the middle, the result is the same.
 */
export async function ensureSqliteTable(
  guarded: SqliteGuardedTable,
  executor: SqlExecutor,
  table: string,
  log: boolean,
): Promise<void> {
  const missing = await missingSqliteParts(guarded, executor, table, log);
  if (missing.length === 0) return;
  try {
    for (const statement of statements(guarded, sqliteTable(table), log)) {
      await executor.execute(statement, []);
    }
  } catch (error) {
    throw sqliteError(error, table, guarded.wording);
  }
}

/**
 * What `ensureSqliteTable` would create. Rejects with a `WrongTableError` for a table that it would refuse.
 */
export async function missingSqliteParts(
  guarded: SqliteGuardedTable,
  executor: SqlExecutor,
  table: string,
  log: boolean,
): Promise<SchemaPart[]> {
  const { wording, shape } = guarded;
  const names = sqliteTable(table);
  const about = `${wording.what} ${table}`;
  try {
    await assertShape(executor, about, shape, table);
    if (log && guarded.log) await assertShape(executor, about, guarded.log, names.logName);
    const { rows } = await executor.execute('SELECT type, name FROM sqlite_master', []);
    const has = (type: string, name: string): boolean =>
      rows.some((row) => row.type === type && row.name === name);
    const hasAll = (triggers: SqliteTriggers): boolean =>
      Object.keys(triggers).every((suffix) => has('trigger', names.trigger(suffix)));
    const parts: SchemaPart[] = [];
    if (!has('table', table)) parts.push('table');
    else if (!hasAll(guarded.triggers(names))) parts.push('guards');
    if (log && (!has('table', names.logName) || !hasAll(guarded.logTriggers?.(names) ?? {})))
      parts.push('log');
    return parts;
  } catch (error) {
    throw sqliteError(error, table, wording);
  }
}
