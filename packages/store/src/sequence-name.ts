import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';

/**
 * Counts code points, as Postgres does. Rejects lone surrogates, because two different ones would become the
 * same name.
 */
const SEQUENCE_NAME = /^[^\p{Cc}\p{Cs}{}]{1,255}$/u;

/** What `isSequenceName` accepts, as error messages say it. */
export const SEQUENCE_NAME_RULE = '1 to 255 characters, no control characters, no braces';

/** Rejects braces, because a name becomes part of a Redis key, where they select the Cluster slot. */
export function isSequenceName(name: unknown): name is string {
  return typeof name === 'string' && SEQUENCE_NAME.test(name);
}

/** Throws `ERR_IDS_CONFIG` unless `name` is a valid name of a sequence. */
export function assertSequenceName(name: unknown): asserts name is string {
  if (isSequenceName(name)) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `a sequence name must be ${SEQUENCE_NAME_RULE}, got ${formatValue(name)}`,
  );
}
