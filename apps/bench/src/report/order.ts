import { observedText } from '../judge/headline.js';
import { count } from '../judge/words.js';
import type { CaseResult } from '../schema/case.js';
import { html, type Markup, nameCell, type Section, table } from './markup.js';
import { DOT_COLOURS, scatterChart } from './svg-chart.js';

/** The order of the ids: charts, the strongest order that held, and a counterexample to a stronger one. */
export function orderSection(strategies: readonly CaseResult[]): Section {
  const drawn = strategies.filter(({ order }) => (order?.samples?.length ?? 0) > 0);
  const body = html`${orderTable(strategies)}
${drawn.length > 0 ? html`${diagrams(drawn)}<details><summary>Calls in the charts</summary>${sampleTable(drawn)}</details>` : ''}`;
  return { title: 'Order', body };
}

function diagrams(strategies: readonly CaseResult[]): Markup {
  return html`<p>Each dot is a call, with a colour per process (${DOT_COLOURS} colours, repeated for more processes). In real-time order, the dots form one rising
line; if processes hold ids of their own, one line each; a process that calls rarely lags behind the others.</p>
<div class="charts">${strategies.map(
    ({ name, order }) => html`<figure><figcaption>${name}</figcaption>
${scatterChart(
  `Order of the ids of ${name}`,
  'ms, call complete',
  'rank of its id',
  (order?.samples ?? []).map(({ at, rank }) => ({ x: at, y: rank })),
)}</figure>`,
  )}</div>`;
}

function orderTable(strategies: readonly CaseResult[]): Markup {
  return table(
    'The strongest order that held; a run can disprove an order, but not prove it. Places: no id came as many places, or more, after a greater one',
    [
      'strategy',
      'observed',
      'places out of order',
      'calls',
      'processes',
      'counterexample to a stronger order',
    ],
    strategies.flatMap(({ name, order }) =>
      order
        ? [
            [
              nameCell(name),
              observedText(order),
              order.observed === 'k-sorted' ? `fewer than ${count(order.positions)}` : '-',
              count(order.calls),
              String(order.processes),
              order.counterExample ?? 'none in this run',
            ],
          ]
        : [],
    ),
  );
}

function sampleTable(strategies: readonly CaseResult[]): Markup {
  return table(
    'Calls in the charts: up to 60 of each process, evenly spread',
    ['strategy', 'process', 'drawn', 'first at', 'its rank', 'last at', 'its rank'],
    strategies.flatMap(({ name, order }) =>
      (order?.samples ?? []).map(({ at, rank }, process) => [
        nameCell(name),
        String(process),
        String(at.length),
        `${at[0] ?? '-'} ms`,
        count(rank[0] ?? 0),
        `${at.at(-1) ?? '-'} ms`,
        count(rank.at(-1) ?? 0),
      ]),
    ),
  );
}
