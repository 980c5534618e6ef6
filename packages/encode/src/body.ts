import type { Guarantees, Id } from '@ids/core';
import { shownValue } from '@ids/core/strategy';

/** What comes after the prefix. The facts are those of `Guarantees['text']`. */
export interface Body extends Omit<Guarantees['text'], 'pattern'> {
  /** A pattern of it, without anchors. */
  readonly pattern: string;
  /**
   * Throws a `TypeError` or `RangeError` unless `id` is an id of the strategy, which is read back as it was.
   */
  assertId(id: unknown): void;
  /** For an id of the strategy: anything else would be written as something that it is not. */
  encode(id: Id): string;
  decode(text: string): Id;
}

/** Ids in their own form. */
export function plainBody({ idType, text }: Guarantees): Body {
  const isOwn = ownText(text);
  const toId = { string: String, number: Number, bigint: BigInt }[idType];
  /**
   * Whether decoding gives exactly `id` again: a number beyond 2^53 - 1 has the same string as its
   * neighbours.
   */
  const isExact = (id: Id) => typeof id !== 'number' || Number.isSafeInteger(id);
  return {
    ...text,
    pattern: text.pattern.source.replace(/^\^|\$$/g, ''),
    caseSensitive: text.caseSensitive ?? false,
    assertId: (id) => {
      if (typeof id === idType && isExact(id as Id) && isOwn(String(id))) return;
      throw new TypeError(`only ids of this strategy can be encoded, got ${shownValue(id)}`);
    },
    encode: String,
    decode: (rest) => {
      const id = isOwn(rest) ? toId(rest) : undefined;
      // A number has one string: neither 007 nor one that is rounded to it.
      if (id !== undefined && isExact(id) && String(id) === rest) return id;
      throw new SyntaxError(`${shownValue(rest)} is no id of this strategy`);
    },
  };
}

/** Returns a check whether something is the string of an id, as the guarantees describe it. */
export function ownText({ pattern, maxLength }: Guarantees['text']): (value: unknown) => value is string {
  // The flags g and y would make each answer depend on the one before, m would let several lines pass.
  const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gmy]/g, ''));
  return (value): value is string =>
    typeof value === 'string' && value.length <= maxLength && whole.test(value);
}
