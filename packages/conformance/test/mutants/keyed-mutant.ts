import type { IdGenerator, KeyedIdGenerator } from '@ids/core';
import type { TicketContext } from '../references/ticket-client.js';

/** A keyed generator that is broken on purpose, in one way. */
export interface KeyedMutant {
  /** What it does wrong. */
  readonly name: string;
  /** The name of the case that must notice. */
  readonly fails: string;
  /** What the case must say, so that it fails for this reason and not for another. */
  readonly saying: RegExp;
  /** Breaks the reference. */
  breaks(family: KeyedIdGenerator, context: TicketContext): KeyedIdGenerator;
}

/** A generator like `family` but for the members in `changes`, also in its views. */
export function alterKeyed(family: KeyedIdGenerator, changes: Partial<KeyedIdGenerator>): KeyedIdGenerator {
  const altered: KeyedIdGenerator = {
    strategy: family.strategy,
    guarantees: family.guarantees,
    next: (key, options) => family.next(key, options),
    nextBatch: (key, count, options) => family.nextBatch(key, count, options),
    of: (key) => viewOf(altered, family.of(key), key),
    highest: (key, options) => family.highest(key, options),
    ready: (options) => family.ready(options),
    health: () => family.health(),
    ...(family.counters && { counters: family.counters.bind(family) }),
    close: () => family.close(),
    [Symbol.asyncDispose]: () => altered.close(),
    ...changes,
  };
  return altered;
}

/** The view `of` a key, with the ids of `family`. */
function viewOf(family: KeyedIdGenerator, of: IdGenerator, key: string): IdGenerator {
  return {
    strategy: of.strategy,
    guarantees: of.guarantees,
    // The view rejects what it must, and asks for nothing by itself.
    next: (options) => of.ready(options).then(() => family.next(key, options)),
    nextBatch: (count, options) => of.ready(options).then(() => family.nextBatch(key, count, options)),
    ready: (options) => of.ready(options),
    health: () => of.health(),
    close: () => of.close(),
    [Symbol.asyncDispose]: () => of.close(),
  };
}

/** A generator that takes each key for another one. */
export function mapKeys(family: KeyedIdGenerator, map: (key: string) => string): KeyedIdGenerator {
  return alterKeyed(family, {
    next: async (key, options) => family.next(map(key), options),
    nextBatch: async (key, count, options) => family.nextBatch(map(key), count, options),
    highest: async (key, options) => family.highest(map(key), options),
  });
}
