export { readPace } from '../skip.js';
export { type BunSqlLike, type BunSqlSessionLike, fromBunSql } from './bun-sql.js';
export {
  arrayOf,
  assertDurable,
  assertReplicated,
  type DurabilityCheck,
  durabilityWarnings,
  isNeon,
  replicationWarnings,
  triggerWarnings,
} from './durability.js';
export {
  isCollision,
  isMissingColumn,
  isOutOfRange,
  isUnsupported,
  type Run,
  type RunOn,
  rowsOf,
  runOn,
  sqlError,
} from './errors.js';
export {
  type FoundReign,
  findReign,
  hasPace,
  PACE_FACTS,
  reignFacts,
  type UsableGuard,
  withBestGuard,
} from './find-reign.js';
export {
  ensureGuardedTable,
  type GuardedTable,
  guardedTableSchema,
  guardTriggers,
  missingParts,
  plainTableSchema,
  SCHEMA_LOCK,
  TRIGGER_FACTS,
} from './guarded-table.js';
export { fromNeon, type NeonHttpLike } from './neon.js';
export { LANE, PACE, PACE_COLUMNS, paceAfter, RATE, storeLoss, storePace } from './pace.js';
export { fromPglite, type PgliteLike } from './pglite.js';
export {
  fromPg,
  fromPgUrl,
  isDatabaseUrl,
  type PgPoolClientLike,
  type PgPoolLike,
  type PgUrlOptions,
} from './pool.js';
export { fromPostgresJs, type PostgresJsLike, type PostgresJsSessionLike } from './postgres-js.js';
export { type PostgresJsNotice, postgresJsNotices } from './postgres-js-notices.js';
export {
  acceptedReign,
  CHANGE,
  CHANGED,
  followingReign,
  HERE,
  newReign,
  REIGN_COLUMNS,
  REIGN_TRIGGER,
  REIGNS_COLUMN,
  RESTORED,
  type ReignGuard,
  SUPERSEDED,
  skipOf,
  storeReign,
  storeReigns,
  THIS_XACT,
  TIMELINE,
  TIMELINES_HERE,
  TIMELINES_SINCE,
  withHere,
} from './reign.js';
export { rightsLackedOn, type ServiceColumns } from './rights.js';
export { allRowsStatement, hiddenRows, rowSecurityActive } from './row-security.js';
export { SETTINGS } from './settings.js';
