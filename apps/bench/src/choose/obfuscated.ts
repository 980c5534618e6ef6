import { type Guarantees, isIdError } from '@ids/core';
import { createCodec } from '@ids/encode';
import type { PlainGuarantees } from '../result.js';

/** For `encode` in a config, beside a key from the environment. */
export const OBFUSCATED = { as: 'crockford', obfuscate: true } as const;

/** A key changes nothing about what can be obfuscated. */
const ANY_KEY = '0'.repeat(32);

/**
 * What ids hold to once they are obfuscated; `undefined` for ids that cannot be, because they are no numbers.
 */
export function obfuscatedGuarantees({ text, ...rest }: PlainGuarantees): Guarantees | undefined {
  const guarantees = { ...rest, text: { ...text, pattern: new RegExp(text.pattern) } };
  try {
    return createCodec(guarantees, { ...OBFUSCATED, key: ANY_KEY }).guarantees;
  } catch (error) {
    if (isIdError(error) && error.code === 'ERR_IDS_CONFIG') return undefined;
    throw error;
  }
}
