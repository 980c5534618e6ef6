import {
  type GuardedTable,
  PACE_COLUMNS,
  REIGN_COLUMNS,
  REIGNS_COLUMN,
  type ServiceColumns,
} from '@ids/store/postgres';
import { SEGMENT_TABLE } from '../table/wording.js';
import { SEGMENT_LOG } from './grant-log.js';

export const SEGMENTS: GuardedTable = {
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
  added: { ...REIGNS_COLUMN, ...PACE_COLUMNS },
  keeps: 'NEW.max_id >= OLD.max_id AND NEW.server_name = OLD.server_name',
  log: SEGMENT_LOG,
};

export const SEGMENT_COLUMNS: ServiceColumns = {
  read: ['server_name', 'max_id', 'realm', 'group_by', 'time_zone'],
  write: ['max_id'],
  reign: Object.keys({ ...REIGN_COLUMNS, ...REIGNS_COLUMN, ...PACE_COLUMNS }),
  logged: ['server_name', 'low', 'high', 'owner'],
};
