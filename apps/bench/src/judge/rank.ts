import { STRENGTHS } from '@ids/core';
import type { Fit } from '../schema/advice.js';
import type { CaseResult, PlainGuarantees } from '../schema/case.js';
import { bestRate } from './load.js';

/** What is preferred among strategies that fit, first things first. A smaller number is better. */
const PREFERENCES: readonly (readonly [words: string, placeOf: (result: CaseResult) => number])[] = [
  ['fewer servers', ({ guarantees }) => guarantees?.backends.length ?? 0],
  ['no waiting', ({ guarantees }) => ((guarantees?.sync ?? true) ? 0 : 1)],
  ['stronger order', (one) => -STRENGTHS.orderInCluster.indexOf(testedOrder(one).cluster ?? 'none')],
  ['less skew', (one) => testedOrder(one).skewMs ?? 0],
  ['speed', (one) => -(bestRate(one)?.idsPerSecond ?? 0)],
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

/**
 * Best first: what fits, then what must be obfuscated, then what could not be tested, then what does not fit,
 * and what failed in the run last; otherwise by preference.
 */
export function ranked(fits: readonly Fit[], cases: readonly CaseResult[]): Fit[] {
  const keyed = fits.map((fit) => {
    const { sound, unmet, unproven = [], obfuscate = false } = fit;
    const found = cases.find(({ name }) => name === fit.strategy);
    const need = [Number(!sound), unmet.length, Number(unproven.length > 0), Number(obfuscate)];
    return { fit, key: [...need, ...(found ? preference(found) : [])] };
  });
  return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ fit }) => fit);
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}

/** Whether it meets the needs: `maybe` if this run could not test that. */
export function fitWord({ unmet, unproven = [] }: Fit): 'yes' | 'no' | 'maybe' {
  if (unmet.length > 0) return 'no';
  return unproven.length > 0 ? 'maybe' : 'yes';
}

export function notTested(claim: string): string {
  return `not tested here: ${claim}`;
}
