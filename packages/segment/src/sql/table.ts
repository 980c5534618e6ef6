// What a package needs that keeps a table of its own, in which something else than ids is reserved.

export { guardedListener, WaitReport } from '../events.js';

export { wholeNumber } from '../options.js';
export {
  assertDurable,
  assertReplicated,
  type DurabilityCheck,
  durabilityWarnings,
  replicationWarnings,
  triggerWarnings,
} from '../postgres/durability.js';
export { isSerializationFailure, runOn, sqlError } from '../postgres/errors.js';
export { findReign, readChange, withBestGuard } from '../postgres/find-reign.js';
export {
  ensureGuardedTable,
  type GuardedTable,
  guardedTableSchema,
  missingParts,
  TRIGGER_FACTS,
} from '../postgres/guarded-table.js';
export {
  CHANGE,
  REIGN_COLUMNS,
  REIGN_TRIGGER,
  type ReignGuard,
  storeReign,
  THIS_XACT,
  withHere,
} from '../postgres/reign.js';
export { type NeededRights, rightsLackedOn } from '../postgres/rights.js';
export { reignFacts, SETTINGS } from '../postgres/statements.js';
export { RequestQueue, type RequestQueueOptions } from '../request-queue.js';
export { backOffMs } from '../reserve-above.js';
export { assertSequenceName, isSequenceName, SEQUENCE_NAME_RULE } from '../segment.js';
export { within } from '../segment-source.js';
export type { LackingRights, SchemaPart } from '../store/dialect.js';
export type { Row, TableWording } from '../store/executor.js';
export { assertOwner } from '../store/grant-log.js';
export { CHANGE_TEXT, type ReignChange } from '../store/reign-change.js';
export { logTableOf, quotedRole } from '../store/table-name.js';
export type { TableShape } from '../store/table-shape.js';
export { databaseOptions, openExecutor } from './open.js';
