import type { SchemaOptions, SchemaPart } from '../store/dialect.js';
import { SEGMENT_TABLE, type SqlExecutor } from '../store/executor.js';
import { DEFAULT_TABLE } from '../store/table-name.js';
import { SEGMENT_LOG } from './grant-log.js';
import { ensureGuardedTable, type GuardedTable, guardedTableSchema, missingParts } from './guarded-table.js';
import { REIGNS_COLUMN } from './reign.js';

const SEGMENTS: GuardedTable = {
  wording: SEGMENT_TABLE,
  prefix: 'id_segment',
  shape: {
    what: 'segment table',
    columns: {
      server_name: 'text PRIMARY KEY CHECK (length(server_name) BETWEEN 1 AND 255)',
      max_id: 'bigint NOT NULL DEFAULT 0 CHECK (max_id BETWEEN 0 AND 9007199254740991)',
      realm: 'uuid NOT NULL DEFAULT gen_random_uuid()',
      group_by: "text CHECK (group_by IN ('day', 'month', 'year'))",
      time_zone: 'text',
      created_at: 'timestamptz NOT NULL DEFAULT now()',
    },
    constraints: ['CHECK ((group_by IS NULL) = (time_zone IS NULL))'],
    key: 'PRIMARY KEY (server_name)',
  },
  added: REIGNS_COLUMN,
  keeps: 'NEW.max_id >= OLD.max_id AND NEW.server_name = OLD.server_name',
  log: SEGMENT_LOG,
};

/**
 * `segmentSchema` for Postgres 14 or later: one statement. It fails, and changes nothing, on a table of
 * another shape.
 */
export function segmentSchema(
  table: string = DEFAULT_TABLE,
  { log = false }: Omit<SchemaOptions, 'table'> = {},
): string {
  return guardedTableSchema(SEGMENTS, table, log);
}

/** `ensureSchema` on Postgres. */
export function ensureSchema(executor: SqlExecutor, options: SchemaOptions = {}): Promise<void> {
  const { table = DEFAULT_TABLE, log = false } = options;
  return ensureGuardedTable(SEGMENTS, executor, table, log);
}

/** `missingSchema` on Postgres. */
export function missingSchema(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<SchemaPart[]> {
  return missingParts(SEGMENTS, executor, table, log);
}
