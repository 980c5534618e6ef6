import { IdError } from '@ids/core';
import { shownValue } from '@ids/core/strategy';

/**
 * Code points are counted, as Postgres counts them. Lone surrogates are refused: two of
 * them would become one name.
 */
const SEQUENCE_NAME = /^[^\p{Cc}\p{Cs}{}]{1,255}$/u;

/** What `isSequenceName` accepts, for error messages. */
export const SEQUENCE_NAME_RULE = '1 to 255 characters, no control characters, no braces';

/** Braces are refused because a name becomes part of a Redis key, where they choose the Cluster slot. */
export function isSequenceName(name: unknown): name is string {
  return typeof name === 'string' && SEQUENCE_NAME.test(name);
}

/** Throws `ERR_IDS_CONFIG` unless `name` can name a sequence. */
export function assertSequenceName(name: unknown): asserts name is string {
  if (isSequenceName(name)) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `a sequence name must be ${SEQUENCE_NAME_RULE}, got ${shownValue(name)}`,
  );
}
