import { count, nanoseconds } from '../judge/words.js';
import type { FaultResult } from '../schema/run.js';
import { html, type Markup, nameCell, type Section, table } from './markup.js';
import { columnChart } from './svg-chart.js';
import { textTable, wrap } from './text.js';

const NOTE =
  'Three processes with 8 callers each request ids throughout. "Lost": numbers that were never issued, including those that processes still held at the end of the run. "Longest without": the longest time without an id in any process.';

/** The faults for a terminal. */
export function faultsText(results: readonly FaultResult[], bold: (text: string) => string): string {
  const head = ['fault', 'strategy', 'dup', 'lost', 'longest without', 'errors'].map(bold);
  const what = new Map(results.map((one) => [one.fault, one.what]));
  return [
    textTable(
      head,
      [27, 18, 6, 9, 11, 8],
      results.map((one) =>
        one.skipped === undefined
          ? [
              one.fault,
              one.strategy,
              count(one.duplicates),
              lostText(one),
              withoutText(one),
              count(one.errors),
            ]
          : [one.fault, one.strategy, 'skipped', '', '', ''],
      ),
    ),
    wrap('What happened', [...[...what].map(([name, text]) => `${name}: ${text}.`), NOTE]),
    wrap(
      'Skipped',
      results.flatMap(({ fault, skipped }) => (skipped === undefined ? [] : [`${fault}: ${skipped}`])),
    ).replace(/^Skipped$/, ''),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** The faults for the page. */
export function faultsSection(results: readonly FaultResult[]): Section {
  const body = html`<p>${NOTE}</p>
${outageCharts(results)}
${table(
  'Faults, each on separate servers',
  [
    'fault',
    'strategy',
    'ids',
    'duplicates',
    'lost',
    'longest without ids',
    'rejected calls',
    'what happened',
  ],
  results.map((one) => [
    one.fault,
    nameCell(one.strategy),
    one.skipped === undefined ? count(one.ids) : `skipped: ${one.skipped}`,
    one.duplicates === 0
      ? '0'
      : html`<strong class="bad">${one.duplicates}, such as ${one.example ?? ''}</strong>`,
    lostText(one),
    withoutText(one),
    html`${count(one.errors)}<small>${one.firstError ?? ''}</small>`,
    one.what,
  ]),
)}`;
  return { title: 'Faults', body };
}

function lostText({ lost }: FaultResult): string {
  return lost === undefined ? '-' : count(lost);
}

function withoutText({ withoutIdsMs }: FaultResult): string {
  return nanoseconds(withoutIdsMs * 1e6);
}

/** When ids were issued around each fault: a chart per fault and strategy, and one table for all. */
function outageCharts(results: readonly FaultResult[]): Markup {
  const drawn = results.flatMap(({ timeline, ...one }) => (timeline ? [{ ...one, timeline }] : []));
  const [first] = drawn;
  if (first === undefined) return html``;
  const { binMs } = first.timeline;
  const longest = Math.max(...drawn.map(({ timeline }) => timeline.ids.length));
  const unit = `ids in ${binMs} ms`;
  return html`<p>When ids were issued, by all processes together. The fault is shaded.</p>
<div class="charts">${drawn.map(({ fault, strategy, timeline: { ids, struck } }) => {
    const marked = { from: struck.fromMs / 1_000, to: struck.toMs / 1_000 };
    const columns = { values: ids, width: binMs / 1_000, marked };
    return html`<figure><figcaption>${strategy}: ${fault}</figcaption>
${columnChart(`Ids of ${strategy} over time: ${fault}`, 'seconds', unit, columns)}</figure>`;
  })}</div>
<details><summary>Table</summary>${table(
    `Ids in each ${binMs} ms`,
    ['try', 'fault from', 'to', ...Array.from({ length: longest }, (_, i) => `${(i * binMs) / 1_000} s`)],
    drawn.map(({ fault, strategy, timeline: { ids, struck } }) => [
      `${strategy}: ${fault}`,
      `${(struck.fromMs / 1_000).toFixed(1)} s`,
      `${(struck.toMs / 1_000).toFixed(1)} s`,
      ...Array.from({ length: longest }, (_, i) => String(ids[i] ?? '')),
    ]),
  )}</details>`;
}
