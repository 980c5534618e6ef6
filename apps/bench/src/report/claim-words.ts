import type { ClaimResult } from '../claims/claim.js';

/** `3.41x (3.30-3.52)`; a bare figure where the claim compares with nothing. */
export function measuredText({ measured, control }: ClaimResult): string {
  if (measured === undefined) return '-';
  const { median, low, high } = measured;
  const digits = (value: number) => (value >= 99.95 ? value.toFixed(0) : value.toFixed(2));
  if (control === undefined) return `${median} (${low}-${high})`;
  return `${digits(median)}x (${digits(low)}-${digits(high)})`;
}

/** `>= 3x` */
export function promisedText({ direction, threshold, control }: ClaimResult): string {
  return `${direction === 'at least' ? '>=' : '<='} ${threshold}${control === undefined ? '' : 'x'}`;
}

/** `NOT COMPARABLE: load 3.1 on 2 cores` */
export function verdictText({ verdict, reason }: ClaimResult): string {
  return verdict === 'not comparable' ? `NOT COMPARABLE: ${reason}` : verdict;
}

export const CLAIMS_NOTE =
  'Each ratio is the median over the blocks of one run, paired by block, with its 95 % bootstrap interval. "holds" and "misses": the whole interval lies on that side of what is promised; "unclear": the promise lies within it.';
