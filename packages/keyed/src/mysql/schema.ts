import { DEFAULT_TABLE } from '@ids/segment';
import { ensureSchema, missingSchema, segmentSchema } from '@ids/segment/sql';
import type { SchemaOptions, SchemaPart, TableShape } from '@ids/store';
import {
  ensureMysqlTable,
  insertedReign,
  type MysqlExecutor,
  type MysqlGuardedTable,
  type MysqlTable,
  missingMysqlParts,
  mysqlGuardedSchema,
  mysqlTable,
  PACE_COLUMNS,
} from '@ids/store/mysql';
import { MAX_KEY_BYTES } from '../key.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';

/**
 * A row for each key that has ids. Families and keys are bytes: collations would make some of them equal, and
 * leave blanks at the end out. `nth`, `grant_id` and `noticed` are the answer of the last reservation, which
 * a trigger hands to the client; `size` and `owner` are for the grant log. `deletion` is set for a moment
 * before the row is deleted: `raise` or `repeat`. `seconds_lost` is what stood in the row of the family when
 * the key was used last.
 */
const SHAPE: TableShape = {
  what: KEY_TABLE.what,
  columns: {
    family: 'varbinary(1020) NOT NULL',
    sequence_key: `varbinary(${MAX_KEY_BYTES}) NOT NULL`,
    max_id: 'bigint NOT NULL',
    reign_server: 'varchar(255) CHARACTER SET ascii',
    reign_table: 'bigint',
    noticed: 'varchar(8) CHARACTER SET ascii',
    nth: 'int',
    grant_id: 'binary(16)',
    deletion: 'varchar(6) CHARACTER SET ascii',
    size: 'bigint',
    owner: 'varchar(255) CHARACTER SET utf8mb4',
    ...PACE_COLUMNS,
  },
  options: 'ENGINE = InnoDB',
};

/** As on Postgres. `grant_id` shows the client that its reservation was logged. */
const LOG: TableShape = {
  what: 'grant log of keys',
  columns: {
    family: 'varbinary(1020) NOT NULL',
    sequence_key: `varbinary(${MAX_KEY_BYTES}) NOT NULL`,
    low: 'bigint NOT NULL',
    high: 'bigint NOT NULL',
    owner: 'varchar(255) CHARACTER SET utf8mb4 NOT NULL',
    granted_at: 'timestamp(6) NOT NULL DEFAULT current_timestamp(6)',
    grant_id: 'binary(16)',
  },
  constraints: ['PRIMARY KEY (family, sequence_key, low, granted_at)', 'CHECK (low BETWEEN 1 AND high)'],
  options: 'ENGINE = InnoDB',
};

/** An entry in the log, if the reservation has an owner. */
function entry(log: string, condition: string): string {
  return `INSERT INTO ${log} (family, sequence_key, low, high, owner, grant_id)
  SELECT NEW.family, NEW.sequence_key, NEW.max_id - NEW.size + 1, NEW.max_id, NEW.owner, NEW.grant_id FROM (SELECT 1) one
  WHERE NEW.owner IS NOT NULL${condition}`;
}

/**
 * A session variable with what one statement has reserved: for each row, the ordinal of its request, `max_id`
 * and the change of the reign that it found. The other one names the statement. In a mode of MariaDB, the
 * literal of an empty string is null.
 */
function answer(was: string): string {
  return `SET @ids_keys = CONCAT(IF(@ids_keys_of <=> NEW.grant_id, @ids_keys, SPACE(0)),
    NEW.nth, ' ', NEW.max_id, ' ', ${was}, ';'), @ids_keys_of = NEW.grant_id`;
}

/**
 * The keys of the families in `segments`. One statement cannot raise an error under a condition, so the
 * triggers of UPDATE and DELETE write what the checks refuse: that of a deletion which nobody announced into
 * the row of the family, which it would otherwise raise. `granted` and `born` report what was reserved. They
 * are created last, so that a table which has them is complete.
 */
const keysOf = (segments: MysqlTable): MysqlGuardedTable => ({
  wording: KEY_TABLE,
  shape: SHAPE,
  constraints: ({ own }) => [
    'PRIMARY KEY (family, sequence_key)',
    `CONSTRAINT ${own('guard')} CHECK (max_id BETWEEN 1 AND 9007199254740991)`,
  ],
  triggers: (table) => ({
    delete: [
      'BEFORE DELETE',
      `UPDATE ${segments.quoted} SET reserved_to = CASE OLD.deletion WHEN 'raise' THEN GREATEST(max_id, OLD.max_id)
    WHEN 'repeat' THEN reserved_to ELSE -1 END, max_id = IF(OLD.deletion = 'raise', GREATEST(max_id, OLD.max_id), max_id)
  WHERE server_name = OLD.family`,
    ],
    update: [
      'BEFORE UPDATE',
      `SET NEW.max_id = IF(NEW.max_id >= OLD.max_id AND NEW.family = OLD.family AND NEW.sequence_key = OLD.sequence_key,
    NEW.max_id, -1)`,
    ],
    insert: ['BEFORE INSERT', `SET ${insertedReign(table)}`],
    granted: ['AFTER UPDATE', answer('COALESCE(NEW.noticed, SPACE(0))')],
    born: ['AFTER INSERT', answer("'new'")],
  }),
  log: LOG,
  triggersOfLog: () => ({ logged: ['AFTER INSERT', 'SET @ids_keys_logged = NEW.grant_id'] }),
  logTriggers: ({ log }) => ({
    log: ['AFTER UPDATE', entry(log, ' AND NOT (NEW.grant_id <=> OLD.grant_id)')],
    log_new: ['AFTER INSERT', entry(log, '')],
  }),
});

/** `keyedSchema` for MySQL. */
export function mysqlKeyedSchema(
  table: string = DEFAULT_TABLE,
  { log = false }: Omit<SchemaOptions, 'table'> = {},
): string {
  return `${segmentSchema(table, { dialect: 'mysql' })}\n${mysqlGuardedSchema(keysOf(mysqlTable(table)), keyTableOf(table), log)}`;
}

/** `ensureKeyedSchema` on MySQL. */
export async function ensureMysqlKeyedSchema(
  executor: MysqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<void> {
  const keys = keyTableOf(table);
  await ensureSchema(executor, { table });
  await ensureMysqlTable(keysOf(mysqlTable(table)), executor, keys, log);
}

/** `missingKeyedSchema` on MySQL. */
export async function missingMysqlKeyedSchema(
  executor: MysqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<SchemaPart[]> {
  const [segments, keys] = [
    await missingSchema(executor, { table }),
    await missingMysqlParts(keysOf(mysqlTable(table)), executor, keyTableOf(table), log),
  ];
  return [...new Set([...segments, ...keys])];
}
