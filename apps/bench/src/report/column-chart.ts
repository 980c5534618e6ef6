import { niceTicks } from './bar-chart.js';
import { html, type Markup } from './escape.js';
import { quantity } from './format.js';

export interface Columns {
  readonly values: readonly number[];
  /** On the x axis, per column. */
  readonly width: number;
  /** A stretch of the x axis that is marked. */
  readonly marked: { readonly from: number; readonly to: number };
}

const LEFT = 48;
const PLOT_WIDTH = 320;
const PLOT_HEIGHT = 80;
const TOP = 10;
const BOTTOM = 44;

/** Columns from zero over a zero-based axis. Needs a table beside it. */
export function columnChart(title: string, xUnit: string, yUnit: string, columns: Columns): Markup {
  const { values, width, marked } = columns;
  const xTicks = niceTicks(Math.max(values.length * width, marked.to));
  const yTicks = niceTicks(Math.max(0, ...values));
  const end = xTicks.at(-1) ?? 1;
  const top = yTicks.at(-1) ?? 1;
  const x = (value: number) => Math.round((LEFT + (value / end) * PLOT_WIDTH) * 10) / 10;
  const y = (value: number) => Math.round((TOP + PLOT_HEIGHT * (1 - value / top)) * 10) / 10;
  const path = values.map(
    (value, i) => `M${x(i * width)} ${y(0)}V${y(value)}H${x((i + 1) * width)}V${y(0)}Z`,
  );
  return html`<svg class="small" viewBox="0 0 ${LEFT + PLOT_WIDTH + 24} ${TOP + PLOT_HEIGHT + BOTTOM}" role="img" aria-label="${title}">
<rect class="marked" x="${x(marked.from)}" y="${TOP}" height="${PLOT_HEIGHT}" width="${Math.max(2, Math.round(x(marked.to) - x(marked.from)))}"/>
${[0, top].map(
  (tick) => html`<line class="grid" x1="${LEFT}" x2="${LEFT + PLOT_WIDTH}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="tick" x="${LEFT - 6}" y="${y(tick) + 4}" text-anchor="end">${quantity(tick)}</text>`,
)}
<path class="strategy" d="${path.join('')}"/>
${xTicks.map((tick) => html`<text class="tick" x="${x(tick)}" y="${TOP + PLOT_HEIGHT + 17}" text-anchor="middle">${quantity(tick)}</text>`)}
<text class="tick" x="${LEFT + PLOT_WIDTH / 2}" y="${TOP + PLOT_HEIGHT + 36}" text-anchor="middle">across: ${xUnit}; up: ${yUnit}</text>
</svg>`;
}
