export { type Grant, type Provenance, whoIssued } from './grant-log.js';
export { lackingSlotRights, slotGrants } from './slot-rights.js';
export {
  DEFAULT_SLOT_TABLE,
  ensureSlotSchema,
  missingSlotSchema,
  type SlotSchemaOptions,
  type SlotTableOptions,
  slotSchema,
} from './slot-schema.js';
export { SlotLayoutError, type SlotState } from './slot-state.js';
export { type CreateSlotsOptions, createSlots, slotsSql } from './slots.js';
export { SqlSlotTable, type SqlSlotTableOptions } from './sql-slot-table.js';
