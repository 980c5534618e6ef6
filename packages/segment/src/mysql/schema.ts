import type { TableShape } from '@ids/store';
import { insertedReign, type MysqlGuardedTable, type NeededColumns, PACE_COLUMNS } from '@ids/store/mysql';
import { SEGMENT_TABLE } from '../table/wording.js';

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
 * Names are bytes: collations would make some of them equal. What a trigger of UPDATE does on Postgres, a
 * CHECK does here, because such a trigger hides the number that was reserved from the client: `reserved_to`
 * stays behind as the mark that `max_id` must not go below, and `named` keeps the row from being renamed.
 * `reserved_to`, `grants`, `granted`, `grant_id` and `owner` are written by each reservation. The trigger of
 * INSERT writes `named`, too: beside such a trigger, MySQL evaluates its default before it knows
 * `server_name`.
 *
 * The grant log is written by triggers with the rights of the account that created them, in the transaction
 * of the reservation: both are committed, or neither. An UPDATE by hand leaves `grants` as it is and is not
 * logged. The second trigger reports the reserved number to the client: see `pool.ts`.
 */
export const MYSQL_SEGMENTS: MysqlGuardedTable = {
  wording: SEGMENT_TABLE,
  shape: SEGMENTS,
  added: PACE_COLUMNS,
  constraints: ({ own }) => [
    `CONSTRAINT ${own('guard')} CHECK (max_id >= reserved_to AND reserved_to >= 0 AND max_id <= 9007199254740991 AND named = server_name)`,
    `CONSTRAINT ${own('name')} CHECK (length(server_name) > 0)`,
    `CONSTRAINT ${own('group')} CHECK ((group_by IS NULL) = (time_zone IS NULL) AND (group_by IS NULL OR group_by IN ('day', 'month', 'year')))`,
  ],
  triggers: (table) => ({
    delete: [
      'BEFORE DELETE',
      `SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'DELETE rejected: ids of the sequence have been issued. max_id can only increase, and rows cannot be deleted or renamed'`,
    ],
    insert: ['BEFORE INSERT', `SET ${insertedReign(table)},\n    NEW.named = NEW.server_name`],
  }),
  log: LOG,
  logTriggers: ({ log }) => ({
    log: [
      'AFTER UPDATE',
      `INSERT INTO ${log} (server_name, low, high, owner)
  SELECT NEW.server_name, NEW.max_id - NEW.granted + 1, NEW.max_id, NEW.owner FROM (SELECT 1) one
  WHERE NEW.grants <> OLD.grants AND NEW.owner IS NOT NULL`,
    ],
    granted: ['AFTER UPDATE', "SET @ids_granted = concat(hex(NEW.grant_id), ' ', NEW.max_id)"],
  }),
};

const REIGN = ['reign_server', 'reign_table', 'reigns'];

const PACE = Object.keys(PACE_COLUMNS);

export const MYSQL_SEGMENT_COLUMNS: Omit<NeededColumns, 'table'> = {
  read: ['server_name', 'max_id', 'realm', 'group_by', 'time_zone', ...REIGN, 'grants', ...PACE],
  written: ['max_id', 'reserved_to', 'granted', 'grants', 'grant_id', 'owner', ...REIGN, ...PACE],
};
