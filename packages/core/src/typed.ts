import type { Id, IdGenerator, SyncIdGenerator } from './id-generator.js';

declare const brand: unique symbol;

/**
 * An id with a branded type, so that the type checker does not accept an order's id as a user's. At run time
 * it is just the id.
 */
export type BrandedId<Name extends string, T extends Id = Id> = T & { readonly [brand]: Name };

/**
 * Returns the same generator, typed to issue branded ids: `typed<'order'>(generator)`. Has no cost at run
 * time.
 */
export function typed<Name extends string>(
  generator: SyncIdGenerator<string>,
): SyncIdGenerator<BrandedId<Name, string>>;
export function typed<Name extends string>(
  generator: SyncIdGenerator<number>,
): SyncIdGenerator<BrandedId<Name, number>>;
export function typed<Name extends string>(
  generator: SyncIdGenerator<bigint>,
): SyncIdGenerator<BrandedId<Name, bigint>>;
export function typed<Name extends string>(
  generator: IdGenerator<string>,
): IdGenerator<BrandedId<Name, string>>;
export function typed<Name extends string>(
  generator: IdGenerator<number>,
): IdGenerator<BrandedId<Name, number>>;
export function typed<Name extends string>(
  generator: IdGenerator<bigint>,
): IdGenerator<BrandedId<Name, bigint>>;
export function typed(generator: IdGenerator): IdGenerator {
  return generator;
}
