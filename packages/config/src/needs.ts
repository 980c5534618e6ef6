import type { Guarantees } from '@ids/core';
import * as v from 'valibot';

/** What a service needs of its ids; checked against the strategy's guarantees before anything is opened. */
export interface Needs {
  readonly unique?: Guarantees['unique'] | undefined;
  readonly order?:
    | {
        readonly process?: Guarantees['order']['process'] | undefined;
        readonly cluster?: Guarantees['order']['cluster'] | undefined;
      }
    | undefined;
  /** The id type that columns and code expect. */
  readonly type?: Guarantees['idType'] | undefined;
  /** `true` where ids are needed synchronously. */
  readonly sync?: boolean | undefined;
  /** `true` where ids must come although Redis and the database cannot be reached. */
  readonly offline?: boolean | undefined;
}

export const needsSchema = v.strictObject({
  unique: v.optional(v.picklist(['cluster', 'process'])),
  order: v.optional(
    v.strictObject({
      process: v.optional(v.picklist(['increasing', 'none'])),
      cluster: v.optional(v.picklist(['real-time', 'k-sorted', 'none'])),
    }),
  ),
  type: v.optional(v.picklist(['string', 'number', 'bigint'])),
  sync: v.optional(v.boolean()),
  offline: v.optional(v.boolean()),
});

/** Each from weakest to strongest: an offer meets a need when it stands at the same place or later. */
const LEVELS = {
  unique: ['process', 'cluster'],
  process: ['none', 'increasing'],
  cluster: ['none', 'k-sorted', 'real-time'],
} as const;

/**
 * The needs that `offer` does not meet, a phrase each: `order across processes: needs real-time, offers none`. Each need is
 * looked at by itself, so the phrases of two needs together are those of the one and those of the other.
 */
export function unmetNeeds(needs: Needs, offer: Omit<Guarantees, 'text'>): string[] {
  const unmet: string[] = [];
  const check = (what: string, met: boolean, needed: unknown, offered: unknown): void => {
    if (!met) unmet.push(`${what}: needs ${String(needed)}, offers ${String(offered)}`);
  };
  const { unique, order, type, sync, offline } = needs;
  check('uniqueness', reaches(LEVELS.unique, unique, offer.unique), unique, offer.unique);
  check(
    'order within a process',
    reaches(LEVELS.process, order?.process, offer.order.process),
    order?.process,
    offer.order.process,
  );
  check(
    'order across processes',
    reaches(LEVELS.cluster, order?.cluster, offer.order.cluster),
    order?.cluster,
    offer.order.cluster,
  );
  check('id type', type === undefined || type === offer.idType, type, offer.idType);
  check('synchronous calls', !sync || offer.sync, 'nextSync', 'promises only');
  check('offline', !offline || offer.backends.length === 0, 'no backend', offer.backends.join(' and '));
  return unmet;
}

function reaches<Level>(levels: readonly Level[], needed: Level | undefined, offered: Level): boolean {
  return needed === undefined || levels.indexOf(offered) >= levels.indexOf(needed);
}
