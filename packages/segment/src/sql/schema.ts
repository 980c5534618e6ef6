import { SEGMENT_TABLE, type SqlExecutor } from './executor.js';
import { SEGMENT_LOG } from './grant-log.js';
import {
  ensureGuardedTable,
  type GuardedTable,
  guardedTableSchema,
  missingParts,
  type SchemaPart,
} from './guarded-table.js';
import { REIGNS_COLUMN } from './reign.js';
import { DEFAULT_TABLE, type TableOptions } from './table-name.js';

export interface SchemaOptions extends TableOptions {
  /** Whether there is a grant log, a table of the same name with the suffix `_log`; default false. */
  readonly log?: boolean | undefined;
}

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
 * The DDL of the segment table, for a migration: one statement. It is safe to run again, also on a table of
 * an older version, to which it adds what is missing. Needs Postgres 14 or later. The trigger rejects
 * everything that could make a sequence issue an id twice: a lower `max_id`, a renamed or deleted row,
 * TRUNCATE. A schema in the name must exist. It fails, and changes nothing, on a table of another shape.
 */
export function segmentSchema(
  table: string = DEFAULT_TABLE,
  { log = false }: Omit<SchemaOptions, 'table'> = {},
): string {
  return guardedTableSchema(SEGMENTS, table, log);
}

/**
 * Creates the segment table with its guard, and the grant log if requested, unless they exist; then it
 * changes nothing and takes no lock on the table. Any number of processes may call it at the same time. No
 * generator calls it: a service with fewer rights applies `segmentSchema()` in a migration instead. Rejects
 * with `ERR_IDS_CONFIG`, which names the columns, if the table is of another shape; then nothing is changed.
 */
export function ensureSchema(executor: SqlExecutor, options: SchemaOptions = {}): Promise<void> {
  const { table = DEFAULT_TABLE, log = false } = options;
  return ensureGuardedTable(SEGMENTS, executor, table, log);
}

/**
 * What `ensureSchema` would create with the same options. It changes nothing, and needs no right on the
 * table. Rejects with a `WrongTableError` for a table that `ensureSchema` would refuse.
 */
export function missingSchema(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<SchemaPart[]> {
  return missingParts(SEGMENTS, executor, table, log);
}
