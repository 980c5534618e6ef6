import { connectToFile, type FileDialect, SQLITE, type SqliteConnection } from '@ids/local-services/dialects';
import { SQLITE_NOW_MS, type SqliteExecutor } from '@ids/store/sqlite';
import { fromSqlite, type SqliteDatabaseLike } from '@ids/store/sqlite/file';
import { createSlots, ensureSlotSchema } from '../../src/sql/index.js';
import type { ClockedSlots } from './clocked-slots.js';
import type { SlotsOptions } from './subject.js';

/** As `SQLITE`, but a restore imports rows: a file that was replaced is another database. */
export const SLOTS_IN_FILES: FileDialect = {
  ...SQLITE,
  dumpTable: async (url, table) => {
    const rows = connectToFile(url).prepare(`SELECT * FROM ${table}`).all();
    return { restoreTo: async (target) => insertAgain(connectToFile(target), table, rows) };
  },
};

/** Replaces the rows, as an import of rows does, once what guards against that is gone. */
function insertAgain(
  connection: SqliteConnection,
  table: string,
  rows: readonly Record<string, unknown>[],
): void {
  const [guard] = connection.prepare('SELECT sql FROM sqlite_master WHERE name = ?').all(`${table}_delete`);
  connection.exec(`BEGIN IMMEDIATE; DROP TRIGGER ${table}_delete; DELETE FROM ${table}`);
  for (const row of rows) {
    const columns = Object.keys(row);
    connection
      .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
      .run(...Object.values(row));
  }
  connection.exec(`${guard?.sql}; COMMIT`);
}

/** Slots named `order` in a file of their own. */
export interface SqliteSlots extends ClockedSlots {
  readonly executor: SqliteExecutor;
  readonly connection: SqliteConnection;
}

/** The clock cannot be set for a connection, so statements have another expression in its place. */
export async function openSqliteSlots({ log, ...options }: SlotsOptions = {}): Promise<SqliteSlots> {
  const url = await SQLITE.shared();
  const connection = connectToFile(url);
  // Faster; files that are opened by their URL have the other mode.
  connection.exec('PRAGMA journal_mode = WAL');
  let clock = SQLITE_NOW_MS;
  const prepared = (sql: string) => connection.prepare(sql.replaceAll(SQLITE_NOW_MS, clock));
  const database: SqliteDatabaseLike = {
    // Statements are kept, so each use is prepared anew, by the clock of that moment.
    prepare: (sql) => ({
      reader: prepared(sql).reader,
      get: () => prepared(sql).all()[0],
      all: (...values: unknown[]) => prepared(sql).all(...values),
      run: (...values: unknown[]) => prepared(sql).run(...values),
    }),
    exec: (sql) => connection.exec(sql),
    close: () => undefined,
  };
  const executor = fromSqlite(database);
  const table = 'id_slot';
  await ensureSlotSchema(executor, { table, log });
  await createSlots(executor, 'order', { table, ...options });
  const setClock: SqliteSlots['setClock'] = async (to) => {
    clock = 'atMs' in to ? String(to.atMs) : `(${SQLITE_NOW_MS} + ${to.offsetMs})`;
  };
  return { url, table, database, executor, connection, setClock };
}
