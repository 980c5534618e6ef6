import type { SpeedChange, SpeedReport } from './compare.js';

/** In Markdown: the verdict first, then every figure. */
export function renderReport(report: SpeedReport, baseCommit: string): string {
  const { changes, leftOut, problems } = report;
  return [
    `## Speed beside ${baseCommit.slice(0, 7)}`,
    '',
    verdict(report),
    '',
    '| strategy | measured | this build | 95 % interval |',
    '| :------- | :------- | ---------: | ------------: |',
    ...changes.map(rowOf),
    '',
    'Ids per second of this build over those of the base: 1.00x is as fast, 2.00x twice as fast.',
    ...[...leftOut, ...problems].map((line) => `\n- ${line}`),
    '',
  ].join('\n');
}

function verdict({ changes, regressions, notComparable, incomplete }: SpeedReport): string {
  if (incomplete) return 'Stopped: no verdict.';
  if (notComparable !== undefined) return `No verdict: ${notComparable}.`;
  const names = regressions.map(({ strategy, figure }) => `${strategy}, ${figure}`);
  if (names.length > 0) return `**Slower in both rounds:** ${names.join('; ')}.`;
  const faster = changes.filter(({ ratio }) => ratio.verdict === 'faster').length;
  return `Nothing is slower in both rounds. Faster in the first: ${faster} of ${changes.length} figures.`;
}

function rowOf({ strategy, figure, ratio: { median, low, high, verdict: found } }: SpeedChange): string {
  const word = found === 'faster' || found === 'slower' ? `, ${found}` : '';
  return `| ${strategy} | ${figure} | ${median.toFixed(2)}x${word} | ${low.toFixed(2)} to ${high.toFixed(2)} |`;
}
