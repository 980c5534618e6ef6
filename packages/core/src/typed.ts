import type { Id, IdGenerator, SyncIdGenerator } from './id-generator.js';

declare const brand: unique symbol;

/**
 * An id that the type checker keeps apart from those of other names: an order's is not a user's. At run
 * time it is the id alone.
 */
export type BrandedId<Name extends string, T extends Id = Id> = T & { readonly [brand]: Name };

/**
 * The same generator, with ids branded for the type checker: `typed<'order'>(generator)`. Costs nothing at
 * run time, where it gives back what it was given.
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
