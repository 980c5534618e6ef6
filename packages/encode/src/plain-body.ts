import { type Guarantees, type Id, shownValue } from '@ids/core';
import type { Body } from './body.js';
import { ownText } from './own-text.js';

/** The text that ids have by themselves. */
export function plainBody({ idType, text }: Guarantees): Body {
  const isOwn = ownText(text);
  const toId = { string: String, number: Number, bigint: BigInt }[idType];
  /** Whether `id` is what its text is read back as: no number beyond 2^53 - 1, which stands for its neighbours too. */
  const isExact = (id: Id) => typeof id !== 'number' || Number.isSafeInteger(id);
  return {
    pattern: text.pattern.source.replace(/^\^|\$$/g, ''),
    maxLength: text.maxLength,
    sortable: text.sortable,
    caseSensitive: text.caseSensitive ?? false,
    assertId: (id) => {
      if (typeof id === idType && isExact(id as Id) && isOwn(String(id))) return;
      throw new TypeError(`only ids of this strategy can be encoded, got ${shownValue(id)}`);
    },
    encode: String,
    decode: (rest) => {
      const id = isOwn(rest) ? toId(rest) : undefined;
      // A number has one text: neither 007 nor one that is rounded to it.
      if (id !== undefined && isExact(id) && String(id) === rest) return id;
      throw new SyntaxError(`${shownValue(rest)} is no id of this strategy`);
    },
  };
}
