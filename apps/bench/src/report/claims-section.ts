import type { ClaimResult } from '../claims/claim.js';
import { html, type Markup } from './escape.js';
import { table } from './tables.js';

/** What the packages say about their speed, and what was measured. */
export function claimsSection(claims: readonly ClaimResult[]): Markup {
  return html`<h2>What the packages claim</h2>
<p>${CLAIMS_NOTE}</p>
${table(
  'Claims about speed, each against its control in the same run',
  ['package', 'claim', 'measured (95 %)', 'promised', 'verdict', 'case and control'],
  claims.map((claim) => [
    claim.package,
    claim.text,
    measuredText(claim),
    promisedText(claim),
    claim.verdict === 'holds' ? 'holds' : html`<strong class="bad">${verdictText(claim)}</strong>`,
    html`${figureOf(claim.case)}<small>${claim.control ? figureOf(claim.control) : ''}</small>`,
  ]),
)}`;
}

function figureOf({ probe, figure }: ClaimResult['case']): string {
  return `${probe}: ${figure}`;
}

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
