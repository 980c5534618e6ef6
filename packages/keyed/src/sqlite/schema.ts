import { DEFAULT_TABLE } from '@ids/segment';
import { ensureSchema, missingSchema, segmentSchema } from '@ids/segment/sqlite';
import type { SchemaOptions, SchemaPart, TableShape } from '@ids/store';
import {
  ensureSqliteTable,
  missingSqliteParts,
  notReplaced,
  refuse,
  SQLITE_NOW_MS,
  type SqliteExecutor,
  type SqliteGuardedTable,
  type SqliteTable,
  sqliteGuardedSchema,
  sqliteTable,
} from '@ids/store/sqlite';
import { MAX_KEY_BYTES } from '../key.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';

const KEY = 'text NOT NULL';

/**
 * A row for each key that has ids. `sequence_key` has the bytes of a key in lower-case hexadecimal digits:
 * drivers differ in how they bind and return BLOBs, and in what they do with a NUL in a text. `born_in` is
 * the database in which a row begins: a trigger moves it to `reign_server`, so a row of a dump never has it.
 * `noticed`: the change of the reign that the last reservation found. `deletion`: `raise` or `repeat`, which
 * deletes the row.
 */
const SHAPE: TableShape = {
  what: KEY_TABLE.what,
  columns: {
    family: 'text NOT NULL',
    sequence_key: KEY,
    max_id: 'integer NOT NULL',
    reign_server: 'text',
    born_in: 'text',
    noticed: 'text',
    grants: 'integer NOT NULL DEFAULT 0',
    granted: 'integer',
    owner: 'text',
    deletion: 'text',
  },
  constraints: [
    // The key comes first: else SQLite looks at all keys of a family for each statement, before its requests.
    'PRIMARY KEY (sequence_key, family)',
    `CHECK (typeof(max_id) = 'integer' AND max_id BETWEEN 1 AND 9007199254740991)`,
    `CHECK (typeof(sequence_key) = 'text' AND length(sequence_key) <= ${2 * MAX_KEY_BYTES} AND length(sequence_key) % 2 = 0 AND sequence_key NOT GLOB '*[^0-9a-f]*')`,
    `CHECK (deletion IS NULL OR deletion IN ('raise', 'repeat'))`,
  ],
  options: 'WITHOUT ROWID',
};

const LOG: TableShape = {
  what: 'grant log of keys',
  columns: {
    family: 'text NOT NULL',
    sequence_key: KEY,
    low: 'integer NOT NULL',
    high: 'integer NOT NULL',
    owner: 'text NOT NULL',
    granted_at: `integer NOT NULL DEFAULT (${SQLITE_NOW_MS})`,
  },
  constraints: ['PRIMARY KEY (family, sequence_key, low, granted_at)', 'CHECK (low BETWEEN 1 AND high)'],
  options: 'WITHOUT ROWID',
};

const ONLY_UP = 'max_id can only increase, and rows cannot be renamed; deleteKey deletes a key';

/** The row of the trigger, in SQL. */
const IS_ROW = 'family = NEW.family AND sequence_key = NEW.sequence_key';

/**
 * The keys of the families in `segments`. An UPDATE of `deletion` deletes the row, and what it raises is
 * raised by the same statement, so nothing is left half done.
 */
export const sqliteKeysOf = (segments: SqliteTable): SqliteGuardedTable => ({
  wording: KEY_TABLE,
  shape: SHAPE,
  triggers: ({ quoted }) => ({
    update: [
      `BEFORE UPDATE ON ${quoted} WHEN NEW.max_id < OLD.max_id OR NEW.family <> OLD.family OR NEW.sequence_key <> OLD.sequence_key`,
      refuse(`UPDATE rejected: ids have been issued of the key. ${ONLY_UP}`),
    ],
    delete: [
      `BEFORE DELETE ON ${quoted} WHEN OLD.deletion IS NULL`,
      refuse(`DELETE rejected: ids have been issued of the key. ${ONLY_UP}`),
    ],
    replace: notReplaced(quoted, 'family', 'sequence_key'),
    insert: [
      `AFTER INSERT ON ${quoted} WHEN NEW.reign_server IS NOT NULL OR NEW.born_in IS NOT NULL`,
      `UPDATE ${quoted} SET reign_server = coalesce(NEW.born_in, 'inserted'), born_in = NULL WHERE ${IS_ROW}`,
    ],
    raise: [
      `AFTER DELETE ON ${quoted} WHEN OLD.deletion = 'raise'`,
      `UPDATE ${segments.quoted} SET max_id = max(max_id, OLD.max_id) WHERE server_name = OLD.family`,
    ],
    deleted: [
      `AFTER UPDATE ON ${quoted} WHEN NEW.deletion IS NOT NULL`,
      `DELETE FROM ${quoted} WHERE ${IS_ROW}`,
    ],
  }),
  log: LOG,
  logTriggers: ({ quoted, log }) => ({
    log: [`AFTER UPDATE ON ${quoted} WHEN NEW.grants <> OLD.grants AND NEW.owner IS NOT NULL`, entry(log)],
    log_new: [`AFTER INSERT ON ${quoted} WHEN NEW.born_in IS NOT NULL AND NEW.owner IS NOT NULL`, entry(log)],
  }),
});

function entry(log: string): string {
  return `INSERT INTO ${log} (family, sequence_key, low, high, owner)
  VALUES (NEW.family, NEW.sequence_key, NEW.max_id - NEW.granted + 1, NEW.max_id, NEW.owner)`;
}

/** `keyedSchema` for SQLite. */
export function sqliteKeyedSchema(
  table: string = DEFAULT_TABLE,
  { log = false }: Omit<SchemaOptions, 'table'> = {},
): string {
  const keys = sqliteGuardedSchema(sqliteKeysOf(sqliteTable(table)), keyTableOf(table), log);
  return `${segmentSchema(table)}\n${keys}`;
}

/** `ensureKeyedSchema` on SQLite. */
export async function ensureSqliteKeyedSchema(
  executor: SqliteExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<void> {
  const keys = keyTableOf(table);
  await ensureSchema(executor, { table });
  await ensureSqliteTable(sqliteKeysOf(sqliteTable(table)), executor, keys, log);
}

/** `missingKeyedSchema` on SQLite. */
export async function missingSqliteKeyedSchema(
  executor: SqliteExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<SchemaPart[]> {
  const segments = await missingSchema(executor, { table });
  const guarded = sqliteKeysOf(sqliteTable(table));
  const keys = await missingSqliteParts(guarded, executor, keyTableOf(table), log);
  return [...new Set([...segments, ...keys])];
}
