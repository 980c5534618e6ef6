import type { Colors } from 'picocolors/types.js';
import type { ClaimResult } from '../schema/claims.js';
import { html, type Section, table } from './markup.js';
import { textTable, wrap } from './text.js';

/** What packages claim about their speed, and what was measured. */
export function claimsSection(claims: readonly ClaimResult[]): Section {
  const body = html`<p>${CLAIMS_NOTE}</p>
${table(
  'Claims about speed, each compared with its control in the same run',
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
  return { title: 'What packages claim', body };
}

function figureOf({ probe, figure }: ClaimResult['case']): string {
  return `${probe}: ${figure}`;
}

/** `3.41x (3.30-3.52)`; without a control, the figure itself. */
function measuredText({ measured, control }: ClaimResult): string {
  if (measured === undefined) return '-';
  const { median, low, high } = measured;
  const digits = (value: number) => (value >= 99.95 ? value.toFixed(0) : value.toFixed(2));
  if (control === undefined) return `${median} (${low}-${high})`;
  return `${digits(median)}x (${digits(low)}-${digits(high)})`;
}

/** `>= 3x` */
function promisedText({ direction, threshold, control }: ClaimResult): string {
  return `${direction === 'at least' ? '>=' : '<='} ${threshold}${control === undefined ? '' : 'x'}`;
}

/** `NOT COMPARABLE: load 3.1 on 2 cores` */
function verdictText({ verdict, reason }: ClaimResult): string {
  return verdict === 'not comparable' ? `NOT COMPARABLE: ${reason}` : verdict;
}

const CLAIMS_NOTE =
  'Each ratio is the median over the blocks of one run, paired by block, with its 95 % bootstrap interval. "holds" and "misses": the whole interval meets or fails the claim; "unclear": the promised value lies within the interval.';

/** A table of all claims, then the full sentences of those that do not hold. */
export function claimsText(claims: readonly ClaimResult[], colors: Pick<Colors, 'bold' | 'red'>): string {
  const open = claims.filter(({ verdict }) => verdict !== 'holds');
  const paint = (claim: ClaimResult) =>
    claim.verdict === 'misses' ? colors.red(claim.verdict) : claim.verdict;
  const doubted = open.filter(({ verdict }) => verdict !== 'not comparable');
  const reasons = [...new Set(open.flatMap(({ reason }) => reason ?? []))];
  return [
    textTable(
      ['claim', 'measured (95 %)', 'promised', 'verdict'].map(colors.bold),
      [32, 22, 10, 16],
      claims.map((claim) => [claim.id, measuredText(claim), promisedText(claim), paint(claim)]),
    ),
    wrap('', [CLAIMS_NOTE]).trimStart(),
    doubted.length > 0 && wrap('Not shown to hold', doubted.map(sentence)),
    reasons.length > 0 && wrap('Not comparable', reasons),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function sentence(claim: ClaimResult): string {
  return `${claim.package}: ${claim.text}. Measured ${measuredText(claim)}: ${verdictText(claim)}.`;
}
