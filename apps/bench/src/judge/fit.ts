import { unmetNeeds } from '@ids/config';
import { type Guarantees, isIdError, STRENGTHS } from '@ids/core';
import { createCodec, type EncodeOptions } from '@ids/encode';
import { PERCENTILES } from '../measure/loops.js';
import type { Fit, ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import type { LoadResult } from '../schema/figures.js';
import type { PlainGuarantees } from '../schema/guarantees.js';
import { loadFit, type MeasuredLoad } from './load.js';
import { compareKeys } from './rank.js';

/** Checks each need separately, so the phrases of several needs are those of each need. */
export function fitOf(needs: ServiceNeeds, result: CaseResult): Fit {
  const { name, guarantees } = result;
  const unmet =
    guarantees === undefined ? [] : unmetNeeds(needs, { ...guarantees, ...asNeeded(needs, result) });
  const obfuscate = needs.public === true && guarantees !== undefined && guarantees.discloses.length > 0;
  if (obfuscate && !hidesAll(guarantees)) {
    unmet.push(`public: reveals ${guarantees.discloses.join(', ')}, and its ids cannot be obfuscated`);
  }
  const load = loadFit(needs, sustainedRate(result), measuredLoad(result));
  unmet.push(...load.unmet);
  const trouble = troubles(result);
  const order = needs.order?.cluster === undefined ? [] : (result.order?.untested ?? []);
  const unproven = [...order, ...load.unproven];
  return {
    strategy: name,
    unmet: [...unmet, ...trouble],
    ...(unproven.length > 0 && { unproven }),
    sound: trouble.length === 0,
    ...(obfuscate && hidesAll(guarantees) && { obfuscate }),
  };
}

/** What was measured at the rate that the run was asked for; `undefined` if it was asked for none. */
export function measuredLoad({ atRate }: CaseResult): MeasuredLoad | undefined {
  if (atRate === undefined) return undefined;
  const { rate, processes, errors, calls, overloaded, achieved, floor } = atRate;
  return {
    ...{ rate, processes, errors, calls, overloaded, achieved },
    p99: p99Of(atRate),
    floor: { overloaded: floor.overloaded, p99: p99Of(floor) },
  };
}

function p99Of({ latency }: LoadResult): number | null {
  return latency[PERCENTILES.indexOf(99)] ?? null;
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

/** The most ids per second that one process issued one by one, and how it was asked for them. */
export interface BestRate {
  readonly idsPerSecond: number;
  readonly how: string;
}

/** Below the limit of the format; `undefined` if nothing was measured. */
export function bestRate({ sync, loops = [], maxIdsPerSecond }: CaseResult): BestRate | undefined {
  const rates = [
    ...(sync ? [{ idsPerSecond: sync.sustained.median, how: 'without waiting' }] : []),
    ...loops
      .filter(({ batch }) => batch === 1)
      .map((loop) => ({ idsPerSecond: loop.idsPerSecond.median, how: callersText(loop.concurrency) })),
  ].sort((a, b) => b.idsPerSecond - a.idsPerSecond);
  const [best] = rates;
  if (best === undefined || maxIdsPerSecond === undefined || best.idsPerSecond < maxIdsPerSecond) return best;
  return { idsPerSecond: maxIdsPerSecond, how: 'limit of its format' };
}

function callersText(callers: number): string {
  return callers === 1 ? '1 caller that waits' : `${callers} callers that wait`;
}

/** The same without how. */
export function sustainedRate(result: CaseResult): number | undefined {
  return bestRate(result)?.idsPerSecond;
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
export function obfuscatedGuarantees(guarantees: PlainGuarantees): Guarantees | undefined {
  return encodedGuarantees(guarantees, OBFUSCATED);
}

/** The guarantees of ids that are encoded like this; `undefined` if they cannot be. */
export function encodedGuarantees(
  { text, ...rest }: PlainGuarantees,
  encode: EncodeOptions,
): Guarantees | undefined {
  const guarantees = { ...rest, text: { ...text, pattern: new RegExp(text.pattern) } };
  try {
    return createCodec(guarantees, encode.obfuscate ? { key: ANY_KEY, ...encode } : encode).guarantees;
  } catch (error) {
    if (isIdError(error) && error.code === 'ERR_IDS_CONFIG') return undefined;
    throw error;
  }
}
