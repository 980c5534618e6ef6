import { PERCENTILES } from '../measure/open-loop.js';
import type { CaseResult } from '../result.js';
import { html, type Markup } from './escape.js';
import { count, nanoseconds, quantity } from './format.js';
import { latencyText } from './open-loop-text.js';
import { lineChart } from './svg-chart.js';
import { table } from './tables.js';

/** At which share of the capacity the chart is drawn. */
const DRAWN_SHARE = 0.8;

/** Latency of callers who do not wait for each other, as curves over the percentiles and as a table. */
export function latencySection(cases: readonly CaseResult[]): Markup {
  const measured = cases.filter(({ openLoops = [] }) => openLoops.length > 0);
  if (measured.length === 0) return html``;
  const lines = measured.flatMap(({ name, kind, openLoops = [] }) =>
    openLoops
      .filter(({ share }) => share === DRAWN_SHARE)
      .map(({ latency }) => ({ label: name, emphasis: kind === 'strategy', values: latency })),
  );
  const labels = PERCENTILES.map((percentile) => `p${percentile}`);
  return html`<h2>Latency under load</h2>
<p>Open loop: calls come at fixed times, at 80 % of what closed loops achieved, and latency counts from the intended start of each. A stall
is felt by all who would have asked meanwhile.</p>
${lineChart('Latency by percentile at 80 % of capacity', labels, lines, nanoseconds)}
${table(
  'Open loops; p99.9 from 10,000 calls on',
  ['case', 'load', 'calls/s', ...labels, 'max', 'calls'],
  measured.flatMap(({ name, openLoops = [] }) =>
    openLoops.map(({ share, rate, latency, max, calls, overloaded }) => [
      name,
      `${Math.round(share * 100)} %${overloaded ? ', overloaded' : ''}`,
      quantity(rate),
      ...latency.map(latencyText),
      nanoseconds(max),
      count(calls),
    ]),
  ),
)}`;
}
