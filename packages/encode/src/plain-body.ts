import { type Guarantees, shownValue } from '@ids/core';
import type { Body } from './body.js';

/** The text that ids have by themselves. */
export function plainBody({ idType, text }: Guarantees): Body {
  const whole = new RegExp(`^(?:${text.pattern.source})$`, text.pattern.flags);
  const toId = { string: String, number: Number, bigint: BigInt }[idType];
  return {
    pattern: text.pattern.source.replace(/^\^|\$$/g, ''),
    maxLength: text.maxLength,
    sortable: text.sortable,
    caseSensitive: text.caseSensitive ?? false,
    encode: String,
    decode: (rest) => {
      if (!whole.test(rest)) throw new SyntaxError(`${shownValue(rest)} is no id of this strategy`);
      return toId(rest);
    },
  };
}
