import type { FaultResult } from '../faults/fault.js';
import { columnChart } from './column-chart.js';
import { html, type Markup } from './escape.js';
import { table } from './tables.js';

/** When ids came while something was wrong: a chart for each try, and one table for all. */
export function outageCharts(results: readonly FaultResult[]): Markup {
  const drawn = results.flatMap(({ timeline, ...one }) => (timeline ? [{ ...one, timeline }] : []));
  const [first] = drawn;
  if (first === undefined) return html``;
  const { binMs } = first.timeline;
  const longest = Math.max(...drawn.map(({ timeline }) => timeline.ids.length));
  const unit = `ids in ${binMs} ms`;
  return html`<p>When ids came, of all processes together. The shaded time is that of the fault.</p>
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
