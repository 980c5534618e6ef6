import type { IdGenerator } from '@ids/core';
import { fillIds } from '@ids/prisma';

/** For `prisma.$extends(shopIds(numbers, uuids))`: the models of `schema.prisma` that have an `id`. */
export function shopIds(numbers: IdGenerator<bigint>, uuids: IdGenerator<string>) {
  return fillIds({ Order: numbers, Customer: numbers, Basket: numbers, Line: uuids, Event: uuids });
}
