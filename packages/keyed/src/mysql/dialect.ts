import type { MysqlExecutor } from '@ids/store/mysql';
import type { Dialect } from '../table/dialect.js';
import { deleteMysqlKey } from './delete-key.js';
import { whoIssuedMysql } from './grant-log.js';
import { mysqlGroupOfNow } from './group-now.js';
import { MysqlKeyedSource } from './keyed-source.js';
import { describeMysqlKey, raiseMysqlKey } from './one-key.js';
import { lackingMysqlKeyRights, mysqlKeyedGrants } from './rights.js';
import { ensureMysqlKeyedSchema, missingMysqlKeyedSchema, mysqlKeyedSchema } from './schema.js';

/** MariaDB 10.6 or later, and MySQL 8.0.29 or later. */
export const mysqlDialect: Dialect<MysqlExecutor> = {
  source: (executor, options) => new MysqlKeyedSource(executor, options),
  keyedSchema: mysqlKeyedSchema,
  ensureKeyedSchema: ensureMysqlKeyedSchema,
  missingKeyedSchema: missingMysqlKeyedSchema,
  keyedGrants: mysqlKeyedGrants,
  lackingKeyRights: lackingMysqlKeyRights,
  groupNow: mysqlGroupOfNow,
  describeKey: describeMysqlKey,
  raiseKey: raiseMysqlKey,
  deleteKey: deleteMysqlKey,
  whoIssued: whoIssuedMysql,
};
