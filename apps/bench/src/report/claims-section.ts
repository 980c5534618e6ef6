import type { ClaimResult } from '../claims/claim.js';
import { CLAIMS_NOTE, measuredText, promisedText, verdictText } from './claim-words.js';
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
