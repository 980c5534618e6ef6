import type { TableShape } from '@ids/store';
import { insertedReign, type MysqlGuardedTable, type NeededColumns } from '@ids/store/mysql';
import { SLOT_TABLE } from '../table/wording.js';
import { WINDOW_MS } from '../windows/lengths.js';

/**
 * Names are bytes: collations would make some of them equal. `noticed` to `grant_id` are the answer of the
 * last statement, which reads them after it has committed; `logs` says whether its window is to be logged,
 * and `logged` whether it was.
 */
const SHAPE: TableShape = {
  what: SLOT_TABLE.what,
  columns: {
    name: 'varbinary(1020) NOT NULL',
    slot: 'int NOT NULL',
    layout: 'varchar(64) CHARACTER SET ascii NOT NULL',
    until_ms: 'bigint NOT NULL DEFAULT 0',
    since_ms: 'bigint NOT NULL DEFAULT 0',
    token: 'char(36) CHARACTER SET ascii',
    owner: 'varchar(255) CHARACTER SET utf8mb4',
    reign_server: 'varchar(255) CHARACTER SET ascii',
    reign_table: 'bigint',
    noticed: 'varchar(8) CHARACTER SET ascii',
    stood_at: 'bigint',
    seen_ms: 'bigint',
    grant_id: 'binary(16)',
    logs: 'tinyint NOT NULL DEFAULT 0',
    logged: 'binary(16)',
  },
  options: 'ENGINE = InnoDB',
};

const READ = Object.keys(SHAPE.columns);

export const MYSQL_SLOT_COLUMNS: Omit<NeededColumns, 'table'> = {
  read: READ,
  written: READ.filter((name) => !['name', 'slot', 'layout', 'logged'].includes(name)),
};

/** As on Postgres: the time is part of the key, and nobody reads the rows. */
const LOG: TableShape = {
  what: 'grant log of slots',
  columns: {
    name: 'varbinary(1020) NOT NULL',
    slot: 'int NOT NULL',
    from_ms: 'bigint NOT NULL',
    until_ms: 'bigint NOT NULL',
    owner: 'varchar(255) CHARACTER SET utf8mb4 NOT NULL',
    granted_at: 'timestamp(6) NOT NULL DEFAULT current_timestamp(6)',
  },
  constraints: ['PRIMARY KEY (name, slot, from_ms, granted_at)', 'CHECK (from_ms < until_ms)'],
  options: 'ENGINE = InnoDB',
};

/**
 * Slots have a trigger of UPDATE, which segments cannot have here: a grant reads its answer from the row. One
 * statement cannot raise an error under a condition, so the trigger writes what the check refuses.
 *
 * The log is written in the transaction of the grant, with the rights of the account that created the
 * trigger. `granted` is created last: where it is, the other one is.
 */
export const MYSQL_SLOTS: MysqlGuardedTable = {
  wording: SLOT_TABLE,
  shape: SHAPE,
  constraints: ({ own }) => [
    'PRIMARY KEY (name, slot)',
    `CONSTRAINT ${own('guard')} CHECK (until_ms >= 0 AND slot >= 0 AND length(name) > 0)`,
    // The second number of a layout is how many bits a slot has.
    `CONSTRAINT ${own('in_layout')} CHECK (slot < 1 << CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(layout, '+', 2), '+', -1) AS unsigned))`,
  ],
  triggers: (table) => ({
    delete: [
      'BEFORE DELETE',
      `SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'DELETE rejected: ids of the slot have been issued. until_ms can only increase, and rows cannot be deleted or renamed'`,
    ],
    update: [
      'BEFORE UPDATE',
      `SET NEW.until_ms = IF(NEW.until_ms >= OLD.until_ms AND NEW.name = OLD.name AND NEW.slot = OLD.slot
    AND NEW.layout = OLD.layout, NEW.until_ms, -1)`,
    ],
    insert: ['BEFORE INSERT', `SET ${insertedReign(table)}`],
  }),
  log: LOG,
  logTriggers: ({ log }) => ({
    log: [
      'AFTER UPDATE',
      `INSERT INTO ${log} (name, slot, from_ms, until_ms, owner)
  SELECT NEW.name, NEW.slot, NEW.until_ms - ${WINDOW_MS}, NEW.until_ms, NEW.owner FROM (SELECT 1) one
  WHERE NEW.logs AND NOT (NEW.grant_id <=> OLD.grant_id)`,
    ],
    granted: ['BEFORE UPDATE', 'SET NEW.logged = NEW.grant_id'],
  }),
};
