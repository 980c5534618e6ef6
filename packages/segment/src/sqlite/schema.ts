import type { TableShape } from '@ids/store';
import {
  insertedReign,
  notReplaced,
  REIGN_COLUMNS,
  refuse,
  SQLITE_NOW_MS,
  type SqliteGuardedTable,
} from '@ids/store/sqlite';
import { SEGMENT_TABLE } from '../table/wording.js';

const SEGMENTS: TableShape = {
  what: 'segment table',
  columns: {
    server_name: 'text NOT NULL PRIMARY KEY',
    max_id: 'integer NOT NULL DEFAULT 0',
    realm: 'text NOT NULL DEFAULT (lower(hex(randomblob(16))))',
    group_by: 'text',
    time_zone: 'text',
    created_at: `text NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`,
    ...REIGN_COLUMNS,
    grants: 'integer NOT NULL DEFAULT 0',
    granted: 'integer',
    owner: 'text',
  },
  constraints: [
    `CHECK (typeof(max_id) = 'integer' AND max_id BETWEEN 0 AND 9007199254740991)`,
    `CHECK (typeof(server_name) = 'text' AND length(server_name) > 0)`,
    `CHECK ((group_by IS NULL) = (time_zone IS NULL) AND (group_by IS NULL OR group_by IN ('day', 'month', 'year')))`,
  ],
  options: 'WITHOUT ROWID',
};

const LOG: TableShape = {
  what: 'grant log',
  columns: {
    server_name: 'text NOT NULL',
    low: 'integer NOT NULL',
    high: 'integer NOT NULL',
    owner: 'text NOT NULL',
    granted_at: `integer NOT NULL DEFAULT (${SQLITE_NOW_MS})`,
  },
  constraints: ['PRIMARY KEY (server_name, low, granted_at)', 'CHECK (low BETWEEN 1 AND high)'],
  options: 'WITHOUT ROWID',
};

const ONLY_UP = 'max_id can only increase, and rows cannot be deleted or renamed';

/**
 * Names are compared byte by byte. The log has `granted_at` in milliseconds since 1970, and is written in the
 * transaction of the reservation. An UPDATE by hand leaves `grants` as it is and is not logged.
 */
export const SQLITE_SEGMENTS: SqliteGuardedTable = {
  wording: SEGMENT_TABLE,
  shape: SEGMENTS,
  triggers: ({ quoted }) => ({
    update: [
      `BEFORE UPDATE ON ${quoted} WHEN NEW.max_id < OLD.max_id OR NEW.server_name <> OLD.server_name`,
      refuse(`UPDATE rejected: ids of the sequence have been issued. ${ONLY_UP}`),
    ],
    delete: [
      `BEFORE DELETE ON ${quoted}`,
      refuse(`DELETE rejected: ids of the sequence have been issued. ${ONLY_UP}`),
    ],
    replace: notReplaced(quoted, 'server_name'),
    insert: [
      `AFTER INSERT ON ${quoted} WHEN NEW.reign_server IS NOT NULL`,
      insertedReign(quoted, 'server_name'),
    ],
  }),
  log: LOG,
  logTriggers: ({ quoted, log }) => ({
    log: [
      `AFTER UPDATE ON ${quoted} WHEN NEW.grants <> OLD.grants AND NEW.owner IS NOT NULL`,
      `INSERT INTO ${log} (server_name, low, high, owner)
  VALUES (NEW.server_name, NEW.max_id - NEW.granted + 1, NEW.max_id, NEW.owner)`,
    ],
  }),
};
