import type { Guarantees } from '@ids/core';
import { DECIMAL_TEXT, type IdTypeName, type IdTypes } from '@ids/segment';
import type { Connection } from './connection.js';

type AnyId = IdTypes[IdTypeName];

const CONVERT: { readonly [K in IdTypeName]: (text: string) => IdTypes[K] } = {
  number: Number,
  bigint: BigInt,
  string: (text) => text,
};

export interface IdTextOptions {
  readonly as: IdTypeName;
  readonly guarantees: Guarantees;
  readonly connection: Connection;
}

/**
 * Makes a function that converts the strings of an answer. It throws `ERR_IDS_UNAVAILABLE` for a string that
 * is no id of the generator, and for an id that is not above all before it, if the generator claims that they
 * increase: such an answer must not be used.
 */
export function idReader({
  as,
  guarantees,
  connection,
}: IdTextOptions): (texts: readonly string[]) => AnyId[] {
  const { pattern } = guarantees.text;
  const convert: (text: string) => AnyId = CONVERT[as];
  const increases = guarantees.order.process === 'increasing';
  let top = -1n;
  return (texts) => {
    let last = top;
    for (const text of texts) {
      if (!pattern.test(text) || (as === 'number' && !Number.isSafeInteger(Number(text))))
        throw connection.unusable(`has ${JSON.stringify(text)}, which is no id of this generator`);
      if (!increases) continue;
      const value = BigInt(text);
      if (value <= last)
        throw connection.unusable(`has ${text}, which is not above ${last}, an id that came before it`);
      last = value;
    }
    top = last;
    return texts.map(convert);
  };
}

/**
 * The ids of one key, as numbers. Throws `ERR_IDS_UNAVAILABLE` unless each is an id of a sequence, and above
 * the one before it.
 */
export function numbersOf(texts: readonly string[], connection: Connection): number[] {
  const ids = texts.map((text) => {
    const id = Number(text);
    if (DECIMAL_TEXT.pattern.test(text) && Number.isSafeInteger(id)) return id;
    throw connection.unusable(`has ${JSON.stringify(text)}, which is no id of a sequence`);
  });
  const falls = ids.findIndex((id, index) => id <= (ids[index - 1] ?? 0));
  if (falls === -1) return ids;
  throw connection.unusable(
    `has ${ids[falls]}, which is not above ${ids[falls - 1]}, an id that came before it`,
  );
}
