import type { SchemaOptions, SchemaPart } from '../store/dialect.js';
import type { SqlExecutor } from '../store/executor.js';
import { DEFAULT_TABLE } from '../store/table-name.js';
import { createTable, type TableShape } from '../store/table-shape.js';
import { mysqlError } from './errors.js';
import { assertShapes } from './found-shape.js';
import { INSERTED, SERVER_HERE, tableHere } from './reign.js';
import { type MysqlTable, mysqlTable } from './text.js';

/**
 * The DDL of the segment table, as `segmentSchema` for Postgres. Needs MariaDB 10.6, or MySQL 8.0.29. Each
 * trigger is one statement, so the text can be run by every client that separates statements by semicolons.
 */
export function mysqlSchema(
  table: string = DEFAULT_TABLE,
  { log = false }: Omit<SchemaOptions, 'table'> = {},
): string {
  return statements(mysqlTable(table), log)
    .map((statement) => `${statement};\n`)
    .join('\n');
}

function statements(table: MysqlTable, log: boolean): string[] {
  return log ? [...tableStatements(table), ...logStatements(table)] : tableStatements(table);
}

const SEGMENTS: TableShape = {
  what: 'segment table',
  columns: {
    server_name: 'varbinary(1020) NOT NULL PRIMARY KEY',
    max_id: 'bigint NOT NULL DEFAULT 0',
    realm: 'char(36) CHARACTER SET ascii NOT NULL DEFAULT (uuid())',
    group_by: 'varchar(5) CHARACTER SET ascii',
    time_zone: 'varchar(64) CHARACTER SET ascii',
    created_at: 'timestamp(3) NOT NULL DEFAULT current_timestamp(3)',
    reign_server: 'varchar(255) CHARACTER SET ascii',
    reign_table: 'bigint',
    reigns: 'varchar(255) CHARACTER SET ascii',
    reserved_to: 'bigint NOT NULL DEFAULT 0',
    named: 'varbinary(1020) NOT NULL DEFAULT (server_name)',
    grants: 'bigint NOT NULL DEFAULT 0',
    granted: 'bigint',
    grant_id: 'binary(16)',
    owner: 'varchar(255) CHARACTER SET utf8mb4',
  },
  options: 'ENGINE = InnoDB',
};

const LOG: TableShape = {
  what: 'grant log',
  columns: {
    server_name: 'varbinary(1020) NOT NULL',
    low: 'bigint NOT NULL',
    high: 'bigint NOT NULL',
    owner: 'varchar(255) CHARACTER SET utf8mb4 NOT NULL',
    granted_at: 'timestamp(6) NOT NULL DEFAULT current_timestamp(6)',
  },
  constraints: ['PRIMARY KEY (server_name, low, granted_at)', 'CHECK (low BETWEEN 1 AND high)'],
  options: 'ENGINE = InnoDB',
};

/**
 * A statement that changes nothing, and fails on a table without these columns: a migration ends there,
 * before the table of somebody else gets a trigger. `ensureMysqlSchema` has compared the columns before.
 */
function probe({ columns }: TableShape, quoted: string): string {
  return `SELECT ${Object.keys(columns).join(', ')} FROM ${quoted} WHERE FALSE`;
}

/**
 * Names are bytes: collations would make some of them equal. What a trigger of UPDATE does on Postgres, a
 * CHECK does here, because such a trigger hides the number that was reserved from the client: `reserved_to`
 * stays behind as the mark that `max_id` must not go below, and `named` keeps the row from being renamed.
 * `reserved_to`, `grants`, `granted`, `grant_id` and `owner` are written by each reservation. The trigger of
 * INSERT writes `named`, too: beside such a trigger, MySQL evaluates its default before it knows
 * `server_name`.
 */
function tableStatements(table: MysqlTable): string[] {
  const { quoted, own, trigger } = table;
  const guard =
    'CHECK (max_id >= reserved_to AND reserved_to >= 0 AND max_id <= 9007199254740991 AND named = server_name)';
  const constraints = [
    `CONSTRAINT ${own('guard')} ${guard}`,
    `CONSTRAINT ${own('name')} CHECK (length(server_name) > 0)`,
    `CONSTRAINT ${own('group')} CHECK ((group_by IS NULL) = (time_zone IS NULL) AND (group_by IS NULL OR group_by IN ('day', 'month', 'year')))`,
  ];
  return [
    createTable({ ...SEGMENTS, constraints }, quoted),
    probe(SEGMENTS, quoted),
    `CREATE TRIGGER IF NOT EXISTS ${trigger('delete')} BEFORE DELETE ON ${quoted} FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'DELETE rejected: ids of the sequence have been issued. max_id can only increase, and rows cannot be deleted or renamed'`,
    // The last one: a table that has it is complete.
    `CREATE TRIGGER IF NOT EXISTS ${trigger('insert')} BEFORE INSERT ON ${quoted} FOR EACH ROW
  SET NEW.reign_server = IF(NEW.reign_table IS NULL, ${SERVER_HERE}, '${INSERTED}'),
    NEW.reign_table = coalesce(NEW.reign_table, ${tableHere(table)}),
    NEW.named = NEW.server_name`,
  ];
}

/**
 * The grant log is written by triggers with the rights of the account that created them, in the transaction
 * of the reservation: both are committed, or neither. An UPDATE by hand leaves `grants` as it is and is not
 * logged. The second trigger reports the reserved number to the client: see `pool.ts`.
 */
function logStatements({ quoted, log, trigger }: MysqlTable): string[] {
  return [
    createTable(LOG, log),
    probe(LOG, log),
    `CREATE TRIGGER IF NOT EXISTS ${trigger('log')} AFTER UPDATE ON ${quoted} FOR EACH ROW
  INSERT INTO ${log} (server_name, low, high, owner)
  SELECT NEW.server_name, NEW.max_id - NEW.granted + 1, NEW.max_id, NEW.owner FROM (SELECT 1) one
  WHERE NEW.grants <> OLD.grants AND NEW.owner IS NOT NULL`,
    `CREATE TRIGGER IF NOT EXISTS ${trigger('granted')} AFTER UPDATE ON ${quoted} FOR EACH ROW
  SET @ids_granted = concat(hex(NEW.grant_id), ' ', NEW.max_id)`,
  ];
}

/**
 * Creates what is missing, as `ensureSchema` for Postgres, and refuses the same. DDL commits by itself here,
 * so this is not one transaction. But each statement creates one thing or finds it there: run twice, or by
 * two at once, or again after a loss in the middle, the result is the same.
 */
export async function ensureMysqlSchema(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<void> {
  const missing = await missingMysqlSchema(executor, { table, log });
  if (missing.length === 0) return;
  try {
    for (const statement of statements(mysqlTable(table), log)) await executor.execute(statement, []);
  } catch (error) {
    throw mysqlError(error, table);
  }
}

/**
 * What `ensureSchema` would create. Needs the right TRIGGER to see triggers; whoever creates them has it.
 * Rejects with a `WrongTableError` for a table that it would refuse.
 */
export async function missingMysqlSchema(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<SchemaPart[]> {
  const names = mysqlTable(table);
  const text = `SELECT
  (SELECT count(*) FROM information_schema.TABLES WHERE ${names.isThis}) AS present,
  (SELECT count(*) FROM information_schema.TABLES WHERE ${names.isLog}) AS logged,
  (SELECT group_concat(TRIGGER_NAME) FROM information_schema.TRIGGERS WHERE ${names.isOfThis}) AS triggers`;
  try {
    await assertShapes(executor, table, [
      { shape: SEGMENTS, name: table, where: names.isThis },
      ...(log ? [{ shape: LOG, name: `${table}_log`, where: names.isLog }] : []),
    ]);
    const [row] = (await executor.execute(text, [])).rows;
    const triggers = String(row?.triggers ?? '').split(',');
    const has = (suffix: string): boolean =>
      triggers.some((trigger) => `\`${trigger}\`` === names.own(suffix));
    const parts: SchemaPart[] = [];
    if (Number(row?.present) === 0) parts.push('table');
    else if (!has('delete') || !has('insert')) parts.push('guards');
    if (log && (Number(row?.logged) === 0 || !has('log') || !has('granted'))) parts.push('log');
    return parts;
  } catch (error) {
    throw mysqlError(error, table);
  }
}
