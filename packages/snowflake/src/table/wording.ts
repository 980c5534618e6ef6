import type { TableWording } from '@ids/store';

/** The table of slots unless another one is named. */
export const DEFAULT_SLOT_TABLE = 'id_slot';

export const SLOT_TABLE: TableWording = {
  what: 'slot table',
  create: 'ensureSlotSchema or slotSchema',
  grants: 'slotGrants',
  column: 'until_ms',
};
