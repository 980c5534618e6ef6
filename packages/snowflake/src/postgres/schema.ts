import type { TableShape } from '@ids/store';
import type { GuardedTable, ServiceColumns } from '@ids/store/postgres';
import { SLOT_TABLE } from '../table/wording.js';

/**
 * One row per window. The time is part of the key, so that a grant does not fail after the slot table went
 * back: the log then shows both. Generators never read the rows, so old ones may be deleted at any time.
 */
const SLOT_LOG: TableShape = {
  what: 'grant log of slots',
  columns: {
    name: 'text NOT NULL',
    slot: 'integer NOT NULL',
    from_ms: 'bigint NOT NULL',
    until_ms: 'bigint NOT NULL',
    owner: 'text NOT NULL CHECK (length(owner) BETWEEN 1 AND 255)',
    granted_at: 'timestamptz NOT NULL DEFAULT clock_timestamp()',
  },
  constraints: ['PRIMARY KEY (name, slot, from_ms, granted_at)', 'CHECK (from_ms < until_ms)'],
};

/** The check of a table: the bits of a slot that its layout does not have would be those of another one. */
export const IN_LAYOUT = 'id_slot_in_layout';

export const SLOTS: GuardedTable = {
  wording: SLOT_TABLE,
  prefix: 'id_slot',
  shape: {
    what: SLOT_TABLE.what,
    columns: {
      name: 'text NOT NULL CHECK (length(name) BETWEEN 1 AND 255)',
      slot: 'integer NOT NULL CHECK (slot >= 0)',
      layout: 'text NOT NULL',
      until_ms: 'bigint NOT NULL DEFAULT 0 CHECK (until_ms >= 0)',
      since_ms: 'bigint NOT NULL DEFAULT 0',
      token: 'uuid',
      owner: 'text CHECK (length(owner) BETWEEN 1 AND 255)',
    },
    constraints: ['PRIMARY KEY (name, slot)'],
    options: 'WITH (fillfactor = 50)',
    key: 'PRIMARY KEY (name, slot)',
  },
  added: {},
  keeps: `NEW.until_ms >= OLD.until_ms AND NEW.name = OLD.name AND NEW.slot = OLD.slot
    AND NEW.layout = OLD.layout`,
  // The second number of a layout is how many bits a slot has.
  checks: { [IN_LAYOUT]: "slot < (1 << substring(layout FROM '[+]([0-9]+)[+]')::integer)" },
  log: SLOT_LOG,
};

const WRITTEN = ['token', 'owner', 'since_ms', 'until_ms'];

export const SLOT_COLUMNS: ServiceColumns = {
  read: ['name', 'slot', 'layout', ...WRITTEN],
  write: WRITTEN,
  logged: ['name', 'slot', 'from_ms', 'until_ms', 'owner'],
};
