import type { Dialect } from '../store/dialect.js';
import { whoIssued } from './grant-log.js';
import { lackingRights, segmentGrants } from './rights.js';
import { ensureSchema, missingSchema, segmentSchema } from './schema.js';
import { PostgresSegmentSource } from './segment-source.js';
import { createSequence, sequenceSql, setFloor } from './sequences.js';

/** Postgres 14 or later. */
export const postgresDialect: Dialect = {
  source: (executor, options) => new PostgresSegmentSource(executor, options),
  segmentSchema,
  ensureSchema,
  missingSchema,
  segmentGrants,
  lackingRights,
  createSequence,
  sequenceSql,
  setFloor,
  whoIssued,
};
