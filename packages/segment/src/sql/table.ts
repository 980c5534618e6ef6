// What a package needs that keeps a table of its own, in which something else than ids is reserved.

export { guardedListener, WaitReport } from '../events.js';
export { wholeNumber } from '../options.js';
export { RequestQueue, type RequestQueueOptions } from '../request-queue.js';
export { backOffMs } from '../reserve-above.js';
export { assertSequenceName, isSequenceName, SEQUENCE_NAME_RULE } from '../segment.js';
export { within } from '../segment-source.js';
export {
  assertDurable,
  assertReplicated,
  type DurabilityCheck,
  durabilityWarnings,
  replicationWarnings,
  triggerWarnings,
} from './durability.js';
export {
  isSerializationFailure,
  type Row,
  runOn,
  sqlError,
  type TableWording,
} from './executor.js';
export { findReign, readChange, withBestGuard } from './find-reign.js';
export { assertOwner } from './grant-log.js';
export {
  ensureGuardedTable,
  type GuardedTable,
  guardedTableSchema,
  missingParts,
  type SchemaPart,
  TRIGGER_FACTS,
} from './guarded-table.js';
export { databaseOptions, openExecutor } from './open.js';
export {
  CHANGE,
  CHANGE_TEXT,
  REIGN_COLUMNS,
  REIGN_TRIGGER,
  type ReignChange,
  type ReignGuard,
  storeReign,
  THIS_XACT,
  withHere,
} from './reign.js';
export { type LackingRights, type NeededRights, rightsLackedOn } from './rights.js';
export { reignFacts, SETTINGS } from './statements.js';
export { logTableOf, quotedRole } from './table-name.js';
export type { TableShape } from './table-shape.js';
