import type { TableShape } from '@ids/store';
import {
  insertedReign,
  notReplaced,
  REIGN_COLUMNS,
  refuse,
  SQLITE_NOW_MS,
  type SqliteGuardedTable,
} from '@ids/store/sqlite';
import { SLOT_TABLE } from '../table/wording.js';

/**
 * `refusal` to `stood_at` and `noticed` are the answer of the last statement, which returns them: RETURNING
 * knows the row only. `logged` counts the windows that were to be logged.
 */
const SHAPE: TableShape = {
  what: SLOT_TABLE.what,
  columns: {
    name: 'text NOT NULL',
    slot: 'integer NOT NULL',
    layout: 'text NOT NULL',
    until_ms: 'integer NOT NULL DEFAULT 0',
    since_ms: 'integer NOT NULL DEFAULT 0',
    token: 'text',
    owner: 'text',
    reign_server: REIGN_COLUMNS.reign_server,
    noticed: 'text',
    refusal: 'text',
    seen_ms: 'integer',
    from_ms: 'integer',
    stood_at: 'integer',
    logged: 'integer NOT NULL DEFAULT 0',
  },
  constraints: [
    'PRIMARY KEY (name, slot)',
    `CHECK (typeof(until_ms) = 'integer' AND until_ms BETWEEN 0 AND 9007199254740991)`,
    `CHECK (typeof(name) = 'text' AND length(name) > 0)`,
    // The second number of a layout is how many bits a slot has.
    `CHECK (typeof(slot) = 'integer' AND slot >= 0
    AND slot < 1 << CAST(substr(layout, instr(layout, '+') + 1) AS integer))`,
  ],
  options: 'WITHOUT ROWID',
};

/** As on Postgres: the time is part of the key, and nobody reads the rows. */
const LOG: TableShape = {
  what: 'grant log of slots',
  columns: {
    name: 'text NOT NULL',
    slot: 'integer NOT NULL',
    from_ms: 'integer NOT NULL',
    until_ms: 'integer NOT NULL',
    owner: 'text NOT NULL',
    granted_at: `integer NOT NULL DEFAULT (${SQLITE_NOW_MS})`,
  },
  constraints: ['PRIMARY KEY (name, slot, from_ms, granted_at)', 'CHECK (from_ms < until_ms)'],
  options: 'WITHOUT ROWID',
};

const ONLY_UP = 'until_ms can only increase, and rows cannot be deleted or renamed';

/** The log has `granted_at` in milliseconds since 1970, and is written in the transaction of the grant. */
export const SQLITE_SLOTS: SqliteGuardedTable = {
  wording: SLOT_TABLE,
  shape: SHAPE,
  triggers: ({ quoted }) => ({
    update: [
      `BEFORE UPDATE ON ${quoted} WHEN NEW.until_ms < OLD.until_ms OR NEW.name <> OLD.name
    OR NEW.slot <> OLD.slot OR NEW.layout <> OLD.layout`,
      refuse(`UPDATE rejected: ids of the slot have been issued. ${ONLY_UP}`),
    ],
    delete: [
      `BEFORE DELETE ON ${quoted}`,
      refuse(`DELETE rejected: ids of the slot have been issued. ${ONLY_UP}`),
    ],
    replace: notReplaced(quoted, 'name', 'slot'),
    insert: [
      `AFTER INSERT ON ${quoted} WHEN NEW.reign_server IS NOT NULL`,
      insertedReign(quoted, 'name', 'slot'),
    ],
  }),
  log: LOG,
  logTriggers: ({ quoted, log }) => ({
    log: [
      `AFTER UPDATE ON ${quoted} WHEN NEW.logged <> OLD.logged`,
      `INSERT INTO ${log} (name, slot, from_ms, until_ms, owner)
  VALUES (NEW.name, NEW.slot, NEW.from_ms, NEW.until_ms, NEW.owner)`,
    ],
  }),
};
