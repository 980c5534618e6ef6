export {
  assertNoReplica,
  DURABILITY,
  mysqlWarnings,
  replicationWarning,
  type ServerFacts,
} from './durability.js';
export { isCollision, isDenied, isDuplicate, isMissingColumn, isMissingTable, mysqlError } from './errors.js';
export { assertShapes } from './found-shape.js';
export {
  ensureMysqlTable,
  insertedReign,
  type MysqlGuardedTable,
  missingMysqlParts,
  mysqlGuardedSchema,
} from './guarded-table.js';
export {
  countIds,
  hasPace,
  PACE,
  PACE_COLUMNS,
  paceAfter,
  rateOf,
  SAME_MINUTE,
  storeLoss,
  storePace,
} from './pace.js';
export {
  fromMysql,
  fromMysqlUrl,
  isMysqlExecutor,
  type MysqlExecutor,
  type MysqlPoolLike,
  type MysqlUrlOptions,
} from './pool.js';
export {
  changeFrom,
  changeIn,
  historyOf,
  laneOf,
  mysqlSkips,
  NEW_REIGN,
  originOf,
  type Reign,
  type RowHistory,
  reignsOf,
  SERVER_HERE,
  sameReign,
  storeReign,
  tableHere,
  WITH_NEW_REIGN,
  withReignOf,
} from './reign.js';
export {
  mysqlGrantsOn,
  type NeededColumns,
  rightsLackedByTrying,
  watched,
  watchedLog,
} from './rights.js';
export { type TableSql, tableSql } from './table-sql.js';
export { bytesOf, inDatabase, type MysqlTable, mysqlTable, numberOf, textOf } from './text.js';
export { limitOf, rowLimit, statementLimit, withinTimeLimit } from './time-limit.js';
export { withoutTls } from './url.js';
