import { unmetNeeds } from '@ids/config';
import { type Guarantees, isIdError, STRENGTHS } from '@ids/core';
import { createCodec } from '@ids/encode';
import { PERCENTILES } from '../measure/loops.js';
import type { CaseResult, Fit, PlainGuarantees, ServiceNeeds } from '../result/types.js';
import { compareKeys } from './rank.js';
import { count, nanoseconds, quantity } from './words.js';

/** Checks each need separately, so the phrases of several needs are those of each need. */
export function fitOf(needs: ServiceNeeds, result: CaseResult): Fit {
  const { name, guarantees } = result;
  const unmet =
    guarantees === undefined ? [] : unmetNeeds(needs, { ...guarantees, ...asNeeded(needs, result) });
  const obfuscate = needs.public === true && guarantees !== undefined && guarantees.discloses.length > 0;
  if (obfuscate && !hidesAll(guarantees)) {
    unmet.push(`public: reveals ${guarantees.discloses.join(', ')}, and its ids cannot be obfuscated`);
  }
  unmet.push(...unmetRate(needs, result));
  const trouble = troubles(result);
  const unproven = needs.order?.cluster === undefined ? [] : (result.order?.untested ?? []);
  return {
    strategy: name,
    unmet: [...unmet, ...trouble],
    ...(unproven.length > 0 && { unproven }),
    sound: trouble.length === 0,
    ...(obfuscate && hidesAll(guarantees) && { obfuscate }),
  };
}

/** By what was measured at that rate; otherwise by the most that one process issued. */
function unmetRate({ rate, p99Ms }: ServiceNeeds, result: CaseResult): string[] {
  if (rate === undefined) return [];
  const { atRate } = result;
  if (atRate?.rate !== rate) {
    const most = sustainedRate(result);
    return most !== undefined && most < rate
      ? [`rate: needs ${quantity(rate)} ids/s, measured ${quantity(most)}`]
      : [];
  }
  const { errors, calls, overloaded, achieved, processes } = atRate;
  const p99 = atRate.latency[PERCENTILES.indexOf(99)] ?? null;
  return [
    ...(errors > 0
      ? [`rate: ${count(errors)} of ${count(calls)} calls failed at ${quantity(rate)} ids/s`]
      : []),
    ...(overloaded
      ? [
          `rate: needs ${quantity(rate)} ids/s in each of ${processes} processes, measured ${quantity(achieved)}`,
        ]
      : []),
    ...(p99Ms !== undefined && p99 !== null && p99 > p99Ms * 1e6
      ? [`p99: needs ${nanoseconds(p99Ms * 1e6)}, measured ${nanoseconds(p99)} at ${quantity(rate)} ids/s`]
      : []),
  ];
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
  const rates = [sync?.sustained, ...single.map(({ idsPerSecond }) => idsPerSecond)].flatMap(
    (one) => one?.median ?? [],
  );
  if (rates.length === 0) return undefined;
  return Math.min(Math.max(...rates), maxIdsPerSecond ?? Number.POSITIVE_INFINITY);
}

/**
 * The preference among strategies that fit, compared place by place, smaller is better: fewer servers, then
 * ids without waiting, then stronger order, which counts only if this run could have refuted it, then less
 * skew, then more ids per second.
 */
export function preference(result: CaseResult): readonly number[] {
  const { guarantees, order } = result;
  const tested = order?.untested === undefined;
  const { cluster = 'none', skewMs = 0 } = (tested && guarantees?.order) || {};
  return [
    guarantees?.backends.length ?? 0,
    (guarantees?.sync ?? true) ? 0 : 1,
    -STRENGTHS.orderInCluster.indexOf(cluster),
    skewMs,
    -(sustainedRate(result) ?? 0),
  ];
}

/**
 * Best first: what failed in this run is last, then what does not fit, then what could not be tested, then
 * what must be obfuscated; otherwise by `preference`.
 */
export function ranked(fits: readonly Fit[], cases: readonly CaseResult[]): Fit[] {
  const keyed = fits.map((fit) => {
    const found = cases.find(({ name }) => name === fit.strategy);
    return {
      fit,
      key: [
        fit.sound ? 0 : 1,
        fit.unmet.length,
        fit.unproven ? 1 : 0,
        fit.obfuscate ? 1 : 0,
        ...(found ? preference(found) : []),
      ],
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
