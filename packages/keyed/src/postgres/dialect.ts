import type { Dialect } from '../table/dialect.js';
import { deleteKey } from './delete-key.js';
import { whoIssued } from './grant-log.js';
import { groupNow } from './group-now.js';
import { PostgresKeyedSource } from './keyed-source.js';
import { describeKey, raiseKey } from './one-key.js';
import { keyedGrants, lackingKeyRights } from './rights.js';
import { ensureKeyedSchema, keyedSchema, missingKeyedSchema } from './schema.js';

/** Postgres 14 or later. */
export const postgresDialect: Dialect = {
  source: (executor, options) => new PostgresKeyedSource(executor, options),
  keyedSchema,
  ensureKeyedSchema,
  missingKeyedSchema,
  keyedGrants,
  lackingKeyRights,
  groupNow,
  describeKey,
  raiseKey,
  deleteKey,
  whoIssued,
};
