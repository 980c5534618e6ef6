import type { Dialect } from '../store/dialect.js';
import { whoIssuedMysql } from './grant-log.js';
import type { MysqlExecutor } from './pool.js';
import { lackingMysqlRights, mysqlGrants } from './rights.js';
import { ensureMysqlSchema, missingMysqlSchema, mysqlSchema } from './schema.js';
import { MysqlSegmentSource } from './segment-source.js';
import { createMysqlSequence, mysqlSequenceSql, setMysqlFloor } from './sequences.js';

/** MariaDB 10.6 or later, and MySQL 8.0.29 or later. */
export const mysqlDialect: Dialect<MysqlExecutor> = {
  source: (executor, options) => new MysqlSegmentSource(executor, options),
  segmentSchema: mysqlSchema,
  ensureSchema: ensureMysqlSchema,
  missingSchema: missingMysqlSchema,
  segmentGrants: mysqlGrants,
  lackingRights: lackingMysqlRights,
  createSequence: createMysqlSequence,
  sequenceSql: mysqlSequenceSql,
  setFloor: setMysqlFloor,
  whoIssued: whoIssuedMysql,
};
