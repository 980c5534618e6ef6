import type { MysqlExecutor } from '@ids/store/mysql';
import type { Dialect } from '../table/dialect.js';
import { mysqlGrantsWith } from './grant-log.js';
import { MysqlSegmentSource } from './segment-source.js';
import { createMysqlSequence, mysqlSequenceSql, setMysqlFloor } from './sequences.js';

/** MariaDB 10.6 or later, and MySQL 8.0.29 or later. */
export const mysqlDialect: Dialect<MysqlExecutor> = {
  source: (executor, options) => new MysqlSegmentSource(executor, options),
  createSequence: createMysqlSequence,
  sequenceSql: mysqlSequenceSql,
  setFloor: setMysqlFloor,
  grantsWith: mysqlGrantsWith,
};
