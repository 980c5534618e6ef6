export type { SchemaOptions as SlotSchemaOptions, TableOptions as SlotTableOptions } from '@ids/store';
export type {
  CreateSlotsOptions,
  DescribedSlots,
  SlotsSqlOptions,
  SqlSlotTableOptions,
} from '../table/dialect.js';
export type { Grant, Provenance } from '../table/grant-log.js';
export { SlotLayoutError, type SlotState } from '../table/slot-state.js';
export { DEFAULT_SLOT_TABLE } from '../table/wording.js';
export {
  createSlots,
  ensureSlotSchema,
  lackingSlotRights,
  missingSlotSchema,
  slotGrants,
  slotSchema,
  slotsSql,
  slotTable,
  whoIssued,
} from './any-dialect.js';
