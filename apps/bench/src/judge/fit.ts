import { unmetNeeds } from '@ids/config';
import { type Guarantees, isIdError, STRENGTHS } from '@ids/core';
import { createCodec } from '@ids/encode';
import type { CaseResult, Fit, PlainGuarantees, ServiceNeeds } from '../result/types.js';
import { compareKeys } from './rank.js';
import { quantity } from './words.js';

/** Checks each need separately, so the phrases of several needs are those of each need. */
export function fitOf(needs: ServiceNeeds, result: CaseResult): Fit {
  const { name, guarantees } = result;
  const unmet =
    guarantees === undefined ? [] : unmetNeeds(needs, { ...guarantees, ...asNeeded(needs, result) });
  const obfuscate = needs.public === true && guarantees !== undefined && guarantees.discloses.length > 0;
  if (obfuscate && !hidesAll(guarantees)) {
    unmet.push(`public: reveals ${guarantees.discloses.join(', ')}, and its ids cannot be obfuscated`);
  }
  if (needs.rate !== undefined) {
    const rate = sustainedRate(result);
    if (rate !== undefined && rate < needs.rate) {
      unmet.push(`rate: needs ${quantity(needs.rate)} ids/s, measured ${quantity(rate)}`);
    }
  }
  const trouble = troubles(result);
  return {
    strategy: name,
    unmet: [...unmet, ...trouble],
    sound: trouble.length === 0,
    ...(obfuscate && hidesAll(guarantees) && { obfuscate }),
  };
}

/** The type that the option `as` must choose for these needs; empty if the ids have it, or cannot. */
export function asNeeded(
  { type }: ServiceNeeds,
  { idType, idTypes = [] }: CaseResult,
): { readonly idType?: Guarantees['idType'] } {
  const chosen = idTypes.find((one) => one === type);
  return chosen === undefined || chosen === idType ? {} : { idType: chosen };
}

function hidesAll(guarantees: PlainGuarantees): boolean {
  return obfuscatedGuarantees(guarantees)?.discloses.length === 0;
}

/** What rules a strategy out for any needs. */
function troubles({ status, reason, uniqueness, order }: CaseResult): string[] {
  return [
    ...(status === 'ok' ? [] : [`${status}: ${reason}`]),
    ...(uniqueness !== undefined && uniqueness.duplicates > 0
      ? [`unique: issued ${uniqueness.duplicates} ids twice`]
      : []),
    ...((uniqueness?.retainedBytesPerId ?? 0) > 0 ? ['leaks memory'] : []),
    ...(order?.brokenClaims ?? []),
  ];
}

/**
 * Ids per second that one process issued one by one, below the limit of the format; `undefined` if that was
 * not measured.
 */
export function sustainedRate({ sync, loops = [], maxIdsPerSecond }: CaseResult): number | undefined {
  const single = loops.filter(({ batch }) => batch === 1);
  const rates = [sync, ...single].flatMap((one) => one?.idsPerSecond.median ?? []);
  if (rates.length === 0) return undefined;
  return Math.min(Math.max(...rates), maxIdsPerSecond ?? Number.POSITIVE_INFINITY);
}

/**
 * The preference among strategies that fit, compared place by place, smaller is better: fewer servers, then
 * ids without waiting, then stronger order, then more ids per second.
 */
export function preference(result: CaseResult): readonly number[] {
  const { guarantees } = result;
  return [
    guarantees?.backends.length ?? 0,
    (guarantees?.sync ?? true) ? 0 : 1,
    -STRENGTHS.orderInCluster.indexOf(guarantees?.order.cluster ?? 'none'),
    -(sustainedRate(result) ?? 0),
  ];
}

/**
 * Best first: what failed in this run is last, then what does not fit, then what must be obfuscated;
 * otherwise by `preference`.
 */
export function ranked(fits: readonly Fit[], cases: readonly CaseResult[]): Fit[] {
  const keyed = fits.map((fit) => {
    const found = cases.find(({ name }) => name === fit.strategy);
    return {
      fit,
      key: [fit.sound ? 0 : 1, fit.unmet.length, fit.obfuscate ? 1 : 0, ...(found ? preference(found) : [])],
    };
  });
  return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ fit }) => fit);
}

/** The `encode` option in a config; the key comes from the environment. */
export const OBFUSCATED = { as: 'crockford', obfuscate: true } as const;

/** Which ids can be obfuscated does not depend on the key. */
const ANY_KEY = '0'.repeat(32);

/**
 * The guarantees of obfuscated ids; `undefined` for ids that cannot be obfuscated, because they are not
 * numbers.
 */
export function obfuscatedGuarantees({ text, ...rest }: PlainGuarantees): Guarantees | undefined {
  const guarantees = { ...rest, text: { ...text, pattern: new RegExp(text.pattern) } };
  try {
    return createCodec(guarantees, { ...OBFUSCATED, key: ANY_KEY }).guarantees;
  } catch (error) {
    if (isIdError(error) && error.code === 'ERR_IDS_CONFIG') return undefined;
    throw error;
  }
}
