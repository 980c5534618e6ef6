import type { Colors } from 'picocolors/types.js';
import type { ClaimResult } from '../claims/claim.js';
import { CLAIMS_NOTE, measuredText, promisedText, verdictText } from './claim-words.js';
import { table, wrap } from './plain-text.js';

/** The claims of all packages as a table, then what was claimed in full, for those that do not hold. */
export function claimsText(claims: readonly ClaimResult[], colors: Pick<Colors, 'bold' | 'red'>): string {
  const open = claims.filter(({ verdict }) => verdict !== 'holds');
  const paint = (claim: ClaimResult) =>
    claim.verdict === 'misses' ? colors.red(claim.verdict) : claim.verdict;
  const doubted = open.filter(({ verdict }) => verdict !== 'not comparable');
  const reasons = [...new Set(open.flatMap(({ reason }) => reason ?? []))];
  return [
    table(
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
