import { DEFAULT_TABLE } from '@ids/segment';
import { ensureSchema, missingSchema, segmentSchema } from '@ids/segment/sql';
import type { SchemaOptions, SchemaPart, SqlExecutor } from '@ids/store';
import {
  ensureGuardedTable,
  type GuardedTable,
  guardedTableSchema,
  missingParts,
  PACE_COLUMNS,
} from '@ids/store/postgres';
import { MAX_KEY_BYTES } from '../key.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';
import { KEY_LOG } from './grant-log.js';

/**
 * A row for each key that has ids. Keys are bytes, so that any string is one, and no collation takes two for
 * one. Rows are updated in place as long as their page has room for it. `seconds_lost` is what stood in the
 * row of the family when the key was used last.
 */
const KEYS: GuardedTable = {
  wording: KEY_TABLE,
  prefix: 'id_key',
  shape: {
    what: 'key table',
    columns: {
      family: 'text COLLATE "C" NOT NULL',
      sequence_key: `bytea NOT NULL CHECK (length(sequence_key) <= ${MAX_KEY_BYTES})`,
      max_id: 'bigint NOT NULL CHECK (max_id BETWEEN 1 AND 9007199254740991)',
      ...PACE_COLUMNS,
    },
    constraints: ['PRIMARY KEY (family, sequence_key)'],
    options: 'WITH (fillfactor = 70)',
    key: 'PRIMARY KEY (family, sequence_key)',
  },
  added: {},
  keeps: 'NEW.max_id >= OLD.max_id AND NEW.family = OLD.family AND NEW.sequence_key = OLD.sequence_key',
  log: KEY_LOG,
  deletable: `current_setting('ids.delete_key', true) = concat(OLD.family, ' ', encode(OLD.sequence_key, 'hex'))`,
};

/** `keyedSchema` for Postgres 14 or later: one statement for each table. */
export function keyedSchema(
  table: string = DEFAULT_TABLE,
  { log = false }: Omit<SchemaOptions, 'table'> = {},
): string {
  return segmentSchema(table) + guardedTableSchema(KEYS, keyTableOf(table), log);
}

/** `ensureKeyedSchema` on Postgres. */
export async function ensureKeyedSchema(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<void> {
  const keys = keyTableOf(table);
  await ensureSchema(executor, { table });
  await ensureGuardedTable(KEYS, executor, keys, log);
}

/** `missingKeyedSchema` on Postgres. */
export async function missingKeyedSchema(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<SchemaPart[]> {
  const [segments, keys] = [
    await missingSchema(executor, { table }),
    await missingParts(KEYS, executor, keyTableOf(table), log),
  ];
  return [...new Set([...segments, ...keys])];
}
