import type { Id } from '@ids/core';

export type CompareIds = (a: Id, b: Id) => number;

/** Numbers by value, texts by code unit: the order of the language, the same in every locale. */
export function compareIds(a: Id, b: Id): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
