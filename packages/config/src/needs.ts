import { type Guarantees, isAsStrong, isUuid, STRENGTHS } from '@ids/core';
import { ruleMessage } from '@ids/core/strategy';
import * as v from 'valibot';

/** What a service needs of its ids. Compared with the strategy's guarantees before anything is opened. */
export interface Needs {
  readonly unique?: Guarantees['unique'] | undefined;
  readonly order?:
    | {
        readonly process?: Guarantees['order']['process'] | undefined;
        readonly cluster?: Guarantees['order']['cluster'] | undefined;
      }
    | undefined;
  /**
   * The type of id that columns and code expect; `uuid` is a string that a column of type `uuid` can hold.
   */
  readonly type?: Guarantees['idType'] | 'uuid' | undefined;
  /** The longest id, in characters or digits, that the column can hold: a whole number of at least 1. */
  readonly maxLength?: number | undefined;
  /** `true` if ids are needed synchronously. */
  readonly sync?: boolean | undefined;
  /** `true` if ids must be issued even while Redis and the database cannot be reached. */
  readonly offline?: boolean | undefined;
  /** The most ids that may be lost when a process or store fails: a whole number of at least 0. */
  readonly maxIdsLost?: number | undefined;
  /** Everything that anyone who sees ids may learn from them; `[]` for nothing. */
  readonly discloses?: Guarantees['discloses'] | undefined;
  /**
   * What every id must reveal, for example `['process']` if logs must identify the process that issued it.
   */
  readonly reveals?: Guarantees['discloses'] | undefined;
}

/** The guarantees with which needs are compared: all except the pattern, which programs do not read. */
export type Offer = Omit<Guarantees, 'text'> & { readonly text: Omit<Guarantees['text'], 'pattern'> };

const ID_TYPES = ['string', 'number', 'bigint', 'uuid'] as const;
const DISCLOSURES = ['time', 'volume', 'host', 'address', 'process'] as const;

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

function oneOf<const Names extends readonly string[]>(names: Names) {
  return v.picklist(names, ruleMessage(`must be one of ${quoted(names)}`));
}

function wholeNumberFrom(least: number) {
  return v.custom<number>(
    (value) => Number.isSafeInteger(value) && Number(value) >= least,
    ruleMessage(`must be a whole number from ${least}`),
  );
}

const yesOrNo = v.boolean(ruleMessage('must be true or false'));

const orderSchema = v.strictObject({
  process: v.optional(oneOf(STRENGTHS.orderInProcess)),
  cluster: v.optional(oneOf(STRENGTHS.orderInCluster)),
});

const disclosures = v.array(
  oneOf(DISCLOSURES),
  ruleMessage(`must be a list of ${quoted(DISCLOSURES)}, [] for none`),
);

export const needsSchema = v.strictObject({
  unique: v.optional(oneOf(STRENGTHS.unique)),
  order: v.optional(orderSchema),
  type: v.optional(oneOf(ID_TYPES)),
  maxLength: v.optional(wholeNumberFrom(1)),
  sync: v.optional(yesOrNo),
  offline: v.optional(yesOrNo),
  maxIdsLost: v.optional(wholeNumberFrom(0)),
  discloses: v.optional(disclosures),
  reveals: v.optional(disclosures),
});

/** The keys known in `require` and in the objects inside it, by path. */
export const NEEDS_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['', Object.keys(needsSchema.entries)],
  ['order', Object.keys(orderSchema.entries)],
]);

/**
 * The needs that `offer` does not meet, one phrase each:
 * `order across processes: needs real-time, offers none`. Each need is checked independently of the others.
 */
export function unmetNeeds(needs: Needs, offer: Offer): string[] {
  const unmet: string[] = [];
  const check = (what: string, met: boolean, needed: unknown, offered: unknown): void => {
    if (!met) unmet.push(`${what}: needs ${String(needed)}, offers ${String(offered)}`);
  };
  const checkLevel = <P extends keyof typeof STRENGTHS>(
    what: string,
    promise: P,
    needed: (typeof STRENGTHS)[P][number] | undefined,
    offered: (typeof STRENGTHS)[P][number],
  ): void => check(what, needed === undefined || isAsStrong(promise, offered, needed), needed, offered);
  const { unique, order, type, maxLength, sync, offline, maxIdsLost, discloses, reveals } = needs;
  checkLevel('uniqueness', 'unique', unique, offer.unique);
  checkLevel('order within a process', 'orderInProcess', order?.process, offer.order.process);
  checkLevel('order across processes', 'orderInCluster', order?.cluster, offer.order.cluster);
  const typed = type === 'uuid' ? isUuid(offer.text) : type === undefined || type === offer.idType;
  check('id type', typed, type, offer.idType);
  check(
    'id length',
    maxLength === undefined || offer.text.maxLength <= maxLength,
    `at most ${maxLength}`,
    `up to ${offer.text.maxLength}`,
  );
  check('synchronous calls', !sync || offer.sync, 'nextSync', 'promises only');
  check('offline', !offline || offer.backends.length === 0, 'no backend', offer.backends.join(' and '));
  const lost = offer.maxIdsLost ?? Number.POSITIVE_INFINITY;
  check(
    'ids lost in a crash',
    maxIdsLost === undefined || lost <= maxIdsLost,
    `at most ${maxIdsLost}`,
    offer.maxIdsLost === undefined ? 'no bound' : `at most ${lost}`,
  );
  check(
    'disclosure',
    discloses === undefined || offer.discloses.every((what) => discloses.includes(what)),
    discloses?.length === 0 ? 'none' : `at most ${discloses?.join(' and ')}`,
    offer.discloses.join(' and '),
  );
  check(
    'what ids reveal',
    reveals === undefined || reveals.every((what) => offer.discloses.includes(what)),
    reveals?.join(' and '),
    offer.discloses.join(' and ') || 'nothing',
  );
  return unmet;
}
