import { shownValue } from '@ids/core/strategy';
import * as v from 'valibot';
import type { SegmentSource } from '../segment-source.js';
import { DATABASE_URL_RULE, describeBadUrl, isDatabaseUrl } from './database-url.js';
import { AFTER_RULE, type AfterReignChange, isAfterReignChange } from './new-reign.js';
import { isOwner, OWNER_RULE } from './owner.js';
import { isPgPool, type PgPoolLike } from './pg-executor.js';
import { isTableName, TABLE_NAME_RULE } from './table-name.js';

function isSegmentSource(value: unknown): value is SegmentSource {
  if (typeof value !== 'object' || value === null) return false;
  const { describe, reserve, close } = value as Partial<SegmentSource>;
  return [describe, reserve, close].every((method) => typeof method === 'function');
}

/**
 * Messages are written here because those of the schema library quote the value, and a URL holds a password.
 */
function databaseMessage(value: unknown): string {
  if (typeof value === 'string') return describeBadUrl(value);
  const accepted = `must be ${DATABASE_URL_RULE} or a pg.Pool`;
  return typeof value === 'object' && value !== null && 'query' in value
    ? `${accepted}, not a client or a transaction: a reservation must be committed by itself`
    : `${accepted}, got ${shownValue(value)}`;
}

function afterReignChange() {
  return v.optional(
    v.custom<AfterReignChange>(isAfterReignChange, ({ input }) => `${AFTER_RULE}, got ${shownValue(input)}`),
  );
}

/**
 * The options of every strategy that reserves segments; `sourceProblem` says what their combination must be.
 */
export const sourceOptions = {
  database: v.optional(
    v.custom<PgPoolLike | string>(
      (value) => isDatabaseUrl(value) || isPgPool(value),
      ({ input }) => databaseMessage(input),
    ),
  ),
  table: v.optional(
    v.custom<string>(isTableName, ({ input }) => `must be ${TABLE_NAME_RULE}, got ${shownValue(input)}`),
  ),
  log: v.optional(
    v.custom<boolean>(
      (value) => typeof value === 'boolean',
      ({ input }) => `must be true or false, got ${shownValue(input)}`,
    ),
  ),
  owner: v.optional(
    v.custom<string>(isOwner, ({ input }) => `must be ${OWNER_RULE}, got ${shownValue(input)}`),
  ),
  afterFailover: afterReignChange(),
  afterRestore: afterReignChange(),
  source: v.optional(
    v.custom<SegmentSource>(
      isSegmentSource,
      ({ input }) => `must be a SegmentSource (describe, reserve, close), got ${shownValue(input)}`,
    ),
  ),
};
