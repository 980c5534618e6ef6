import { Inject } from '@nestjs/common';

/** The token of a generator that `generators` of the module names; without a name, of the `OpenedIds`. */
export function idsToken(name?: string): string {
  return name === undefined ? 'OpenedIds' : `IdGenerator(${name})`;
}

/** The token of a generator that `keyedGenerators` of the module names. */
export function keyedIdsToken(name: string): string {
  return `KeyedIdGenerator(${name})`;
}

/**
 * Injects an `IdGenerator`: `@InjectIds('order') private readonly orderIds: IdGenerator`. Without a name,
 * injects the `OpenedIds`, whose `get` checks what the code needs: `get('order', { type: 'number' })`.
 */
export function InjectIds(name?: string): ReturnType<typeof Inject> {
  return Inject(idsToken(name));
}

/** Injects a `KeyedIdGenerator`: `@InjectKeyedIds('message') private readonly numbers: KeyedIdGenerator`. */
export function InjectKeyedIds(name: string): ReturnType<typeof Inject> {
  return Inject(keyedIdsToken(name));
}
