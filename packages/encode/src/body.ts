import type { Guarantees, Id } from '@ids/core';
import { formatValue, ownText } from '@ids/core/strategy';

/** The part after the prefix. Its properties are those of `Guarantees['text']`. */
export interface Body extends Omit<Guarantees['text'], 'pattern' | 'caseSensitive'> {
  /** A pattern without anchors. */
  readonly pattern: string;
  readonly caseSensitive: boolean;
  /**
   * Throws a `TypeError` or `RangeError` unless `id` is an id of the strategy that `decode` returns
   * unchanged.
   */
  assertId(id: unknown): void;
  /** Encodes an id of the strategy. Does not check it: any other value would be encoded as a different id. */
  encode(id: Id): string;
  decode(text: string): Id;
}

/** Ids in their own form, with a prefix only. */
export function plainBody({ idType, text }: Guarantees): Body {
  const isOwn = ownText(text);
  const toId = { string: String, number: Number, bigint: BigInt }[idType];
  /** Whether decoding returns exactly `id`: a number above 2^53 - 1 has the same string as its neighbours. */
  const isExact = (id: Id) => typeof id !== 'number' || Number.isSafeInteger(id);
  return {
    ...text,
    pattern: text.pattern.source.replace(/^\^|\$$/g, ''),
    caseSensitive: text.caseSensitive ?? false,
    assertId: (id) => {
      if (typeof id === idType && isExact(id as Id) && isOwn(String(id))) return;
      throw new TypeError(`only ids of this strategy can be encoded, got ${formatValue(id)}`);
    },
    encode: String,
    decode: (rest) => {
      const id = isOwn(rest) ? toId(rest) : undefined;
      // Each number has exactly one string: 007 is rejected, and so is a string that is rounded.
      if (id !== undefined && isExact(id) && String(id) === rest) return id;
      throw new SyntaxError(`${formatValue(rest)} is not an id of this strategy`);
    },
  };
}
