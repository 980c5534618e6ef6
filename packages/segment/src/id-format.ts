import type { Guarantees, IdPart } from '@ids/core';

/** The types in which callers can get an id from a sequence. `number` is exact, since ids end at 2^53 - 1. */
export interface IdTypes {
  number: number;
  bigint: bigint;
  string: string;
}

export type IdTypeName = keyof IdTypes;

/** Turns an id's number into the type that callers get. */
export const toIdOf: { readonly [K in IdTypeName]: (value: number) => IdTypes[K] } = {
  number: (value) => value,
  bigint: BigInt,
  string: String,
};

/**
 * The text of an id from a sequence: decimal digits without leading zeros, so text order is not number order.
 */
export const DECIMAL_TEXT: Guarantees['text'] = {
  pattern: /^[1-9][0-9]{0,15}$/,
  alphabet: '0123456789',
  minLength: 1,
  maxLength: 16,
  sortable: false,
  caseSensitive: false,
};

/** What the text of an id from a sequence says; `undefined` when it is none. */
export function inspectDecimal(text: string): readonly IdPart[] | undefined {
  if (!DECIMAL_TEXT.pattern.test(text) || !Number.isSafeInteger(Number(text))) return undefined;
  return [{ name: 'counter', value: text, note: 'ids of one sequence rise; numbers may be missing' }];
}
