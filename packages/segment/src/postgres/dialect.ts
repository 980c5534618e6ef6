import type { Dialect } from '../table/dialect.js';
import { grantsWith } from './grant-log.js';
import { PostgresSegmentSource } from './segment-source.js';
import { createSequence, sequenceSql, setFloor } from './sequences.js';

/** Postgres 14 or later. */
export const postgresDialect: Dialect = {
  source: (executor, options) => new PostgresSegmentSource(executor, options),
  createSequence,
  sequenceSql,
  setFloor,
  grantsWith,
};
