export { anyDialect } from './any-dialect.js';
export { pastCollisions } from './collisions.js';

export type { CallOptions, DialectName, Row, SqlExecutor, SqlResult } from './executor.js';
export { assertOwner, defaultOwner, type LogOptions } from './grant-log.js';
export { isMissing, missingDriver } from './missing-driver.js';
export { pendingChange, pendingState } from './pending-change.js';
export { CHANGE_TEXT, type ReignChange, readChange } from './reign-change.js';
export { isWithin, type Origin, type Reigns, readOrigin, reignsText } from './reigns.js';
export type { DialectOption, LackingRights, SchemaOptions, SchemaPart } from './schema.js';
export { assertSequenceName, isSequenceName, SEQUENCE_NAME_RULE } from './sequence-name.js';
export {
  type AfterReignChange,
  baseOf,
  DAY_SECONDS,
  GROWTH,
  type GrowingSkip,
  greaterSkip,
  greatestSkip,
  LANE_SECONDS,
  LANES,
  type NewReignOptions,
  type Pace,
  perSecondOf,
  type RowLoss,
  readPace,
  type Skip,
  type Skipped,
  type Skips,
  skipAfter,
  skippedAfter,
  skippedByHeirs,
  skipsOf,
} from './skip.js';
export {
  inSchema,
  isTableName,
  logTableOf,
  type QuotedTable,
  quotedRole,
  quotedTable,
  type TableOptions,
} from './table-name.js';
export { createTable, type TableShape, type TableWording, WrongTableError } from './table-shape.js';
export { tlsHint } from './tls-hint.js';
export { assertIdBound, readWholeNumber } from './whole-number.js';
