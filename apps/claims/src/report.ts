import { environment, noticesOf, type Report, type Section, table } from '@ids/bench/command';
import type { ClaimResult, ClaimsResult } from './results.js';

export function reportOf(result: ClaimsResult): Report {
  const notices = noticesOf({ ...result, cases: [] });
  return { notices, verdicts: [], details: [claims(result.claims), environment(result)] };
}

/** What packages claim about their speed, and what was measured. */
function claims(results: readonly ClaimResult[]): Section {
  const found = table<ClaimResult>(
    'Claims about speed, each compared with its control in the same run',
    [
      ['claim', ({ id, text }) => ({ text: id, note: text }), 32],
      ['measured (95 %)', measuredText, 22],
      ['promised', promisedText, 10],
      ['verdict', ({ verdict, reason }) => ({ text: verdict, note: reason, bad: verdict !== 'holds' }), 16],
      ['case', (one) => figureOf(one.case)],
      ['control', ({ control }) => (control ? figureOf(control) : '')],
    ],
    results,
  );
  return { title: 'What packages claim', blocks: [found, NOTE] };
}

const NOTE =
  'Each ratio is the median over the blocks of one run, paired by block, with its 95 % bootstrap interval. "holds" and "misses": the whole interval meets or fails the claim; "unclear": the promised value lies within the interval.';

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
