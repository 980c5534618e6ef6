import type { Guarantees, IdPart } from '@ids/core';

/** The types in which callers can get an id. `number` is exact, because ids end at 2^53 - 1. */
export interface IdTypes {
  number: number;
  bigint: bigint;
  string: string;
}

export type IdTypeName = keyof IdTypes;

/** Converts the number of an id into the type that callers get. */
export const toIdOf: { readonly [K in IdTypeName]: (value: number) => IdTypes[K] } = {
  number: (value) => value,
  bigint: BigInt,
  string: String,
};

/** An id as a string: decimal digits without leading zeros, so strings do not sort like numbers. */
export const DECIMAL_TEXT: Guarantees['text'] = {
  pattern: /^[1-9][0-9]{0,15}$/,
  alphabet: '0123456789',
  minLength: 1,
  maxLength: 16,
  sortable: false,
  caseSensitive: false,
};

/** What an id as a string contains; undefined if it is not an id of a sequence. */
export function inspectDecimal(text: string): readonly IdPart[] | undefined {
  if (!DECIMAL_TEXT.pattern.test(text) || !Number.isSafeInteger(Number(text))) return undefined;
  return [{ name: 'counter', value: text, note: 'ids of one sequence increase; numbers may be missing' }];
}
