import { type IdGenerator, type IdPart, isDecimal, type KeyedIdGenerator } from '@ids/core';
import type { SegmentSource } from '@ids/segment';

/** A generator that a handler serves, and what clients must know of it. The caller closes the generator. */
export interface ServedGenerator {
  readonly generator: IdGenerator | KeyedIdGenerator;
  /**
   * Identifies the store behind the generator, so that clients notice an answer of another one: two servers
   * behind one address must not use two databases. The `realm` of a sequence is such a text, and required
   * with `lease`. Required as well if the ids come from a store, and absent if they need none.
   */
  readonly realm?: string | undefined;
  /**
   * The sequence from which clients may lease ranges, to issue ids from their memory; none by default. It is
   * that of the generator, whose ids must be numbers without an order across processes: leased ids are issued
   * at any time.
   */
  readonly lease?: LeasedSequence | undefined;
  /**
   * Who reserved an id, from the grant log of the store: by its text, and the key of a keyed generator.
   * Clients with the right `read` see all of it. Absent if there is no log.
   */
  readonly whoIssued?: WhoIssued | undefined;
}

export type WhoIssued = (id: string, key: string | undefined) => Promise<readonly IdPart[]>;

/** A sequence of a source, which the caller closes. */
export interface LeasedSequence {
  readonly source: SegmentSource;
  /** Its name in the source. */
  readonly sequence: string;
}

/** The generators of a handler, by the names that clients use. */
export type ServedGenerators = Readonly<Record<string, ServedGenerator>>;

/** What a client wants to know of one generator. */
export interface Asked {
  readonly name: string;
  readonly served: ServedGenerator;
  /** What else is in the query. */
  readonly query: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Whether ids of a generator are asked for by key. */
export function isKeyed(
  served: ServedGenerator,
): served is ServedGenerator & { readonly generator: KeyedIdGenerator } {
  return served.generator.guarantees.within === 'key';
}

/** Whether ranges of this generator may be leased. */
export function canLease({ guarantees }: Pick<IdGenerator, 'guarantees'>): boolean {
  return guarantees.order.cluster === 'none' && guarantees.within !== 'key' && isDecimal(guarantees.text);
}

/** Throws a `TypeError` if a generator with a store does not say which one it is, or must not lease. */
export function assertServable(generators: ServedGenerators): void {
  for (const [name, { generator, realm, lease }] of Object.entries(generators)) {
    if (lease !== undefined && !canLease(generator)) {
      throw new TypeError(
        `generators.${name}: must have no "lease": its ids are in an order, have keys or are no numbers`,
      );
    }
    if (realm !== undefined || generator.guarantees.backends.length === 0) continue;
    throw new TypeError(
      `generators.${name}: must have a "realm", a text that identifies its store: the ids come from ` +
        `${generator.guarantees.backends.join(' and ')}, and clients refuse answers of another store`,
    );
  }
}
