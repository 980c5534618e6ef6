import { createHash } from 'node:crypto';
import type { Guarantees } from '@ids/core';
import type { EncodeOptions } from '@ids/encode';

/** The spelling of ids that end with a check digit and are not obfuscated. */
export const CHECK_DIGIT = 'check';

/**
 * How `encode` writes the number of an id, if that is more than its digits in some alphabet: equal for two
 * generators if they write each number alike. Does not reveal the key. `text` describes the encoded ids.
 */
export function spellingOf(
  { as, prefix, check = false, obfuscate = false, key = '' }: EncodeOptions,
  { maxLength }: Guarantees['text'],
): string | undefined {
  if (!obfuscate) return check ? CHECK_DIGIT : undefined;
  // The digits that are scattered depend on the key, on the alphabet and the width, and on the prefix.
  const facts = JSON.stringify([key.toLowerCase(), as, maxLength, prefix, check]);
  return `key ${createHash('sha256').update(facts).digest('hex').slice(0, 16)}`;
}
