import { unmetNeeds } from '@ids/config';
import { type Guarantees, isIdError, STRENGTHS } from '@ids/core';
import { createCodec, type EncodeOptions } from '@ids/encode';
import { PERCENTILES } from '../measure/latencies.js';
import type { Fit, ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import type { LoadResult } from '../schema/figures.js';
import type { PlainGuarantees } from '../schema/guarantees.js';
import { loadFit, type MeasuredLoad } from './load.js';
import { compareKeys, rankKey } from './rank.js';
import { slowerText } from './slower.js';

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
function troubles(result: CaseResult): string[] {
  const { status, reason, uniqueness, order } = result;
  return [
    ...(status === 'ok' ? [] : [`${status}: ${reason}`]),
    ...(uniqueness !== undefined && uniqueness.duplicates > 0
      ? [`unique: issued ${uniqueness.duplicates} ids twice`]
      : []),
    ...((uniqueness?.retainedBytesPerId ?? 0) > 0 ? ['leaks memory'] : []),
    ...slowerText(result),
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

/** What is preferred among strategies that fit, first things first. A smaller number is better. */
const PREFERENCES: readonly (readonly [words: string, placeOf: (result: CaseResult) => number])[] = [
  ['fewer servers', ({ guarantees }) => guarantees?.backends.length ?? 0],
  ['no waiting', ({ guarantees }) => ((guarantees?.sync ?? true) ? 0 : 1)],
  ['stronger order', (one) => -STRENGTHS.orderInCluster.indexOf(testedOrder(one).cluster ?? 'none')],
  ['less skew', (one) => testedOrder(one).skewMs ?? 0],
  ['speed', (one) => -(sustainedRate(one) ?? 0)],
];

/** `fewer servers, no waiting, ...`, in the order in which it counts. */
export const PREFERRED = PREFERENCES.map(([words]) => words).join(', ');

/** An order counts only if this run could have refuted it. */
function testedOrder({ guarantees, order }: CaseResult): Partial<PlainGuarantees['order']> {
  return order?.untested === undefined ? (guarantees?.order ?? {}) : {};
}

/** By `PREFERRED`, compared place by place. */
export function preference(result: CaseResult): readonly number[] {
  return PREFERENCES.map(([, placeOf]) => placeOf(result));
}

/** Best first. */
export function ranked(fits: readonly Fit[], cases: readonly CaseResult[]): Fit[] {
  const keyed = fits.map((fit) => {
    const found = cases.find(({ name }) => name === fit.strategy);
    const { unproven = [], obfuscate = false } = fit;
    return { fit, key: rankKey({ ...fit, unproven, obfuscate, preference: found ? preference(found) : [] }) };
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
