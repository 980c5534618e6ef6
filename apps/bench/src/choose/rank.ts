import { STRENGTHS } from '@ids/core';
import type { CaseResult, Fit } from '../result.js';
import { sustainedRate } from './fit.js';

/**
 * Smaller is better, compared place by place: fewer servers to run, then stronger order, then more ids per
 * second. What fits comes before what does not, what fits as it is before what has to be obfuscated, and what
 * failed in this run comes last; that is not part of this.
 */
export function preference(result: CaseResult): readonly number[] {
  const { guarantees } = result;
  return [
    guarantees?.backends.length ?? 0,
    -STRENGTHS.orderInCluster.indexOf(guarantees?.order.cluster ?? 'none'),
    -(sustainedRate(result) ?? 0),
  ];
}

/** Best first. */
export function ranked(fits: readonly Fit[], cases: readonly CaseResult[]): Fit[] {
  const keyed = fits.map((fit) => {
    const found = cases.find(({ name }) => name === fit.strategy);
    return {
      fit,
      key: [fit.sound ? 0 : 1, fit.unmet.length, fit.obfuscate ? 1 : 0, ...(found ? preference(found) : [])],
    };
  });
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ fit }) => fit);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}
