import { niceTicks } from './bar-chart.js';
import { html, type Markup } from './escape.js';
import { quantity } from './format.js';

export interface Dots {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

const LEFT = 56;
const WIDTH = 320;
const HEIGHT = 170;
const TOP = 10;
const BOTTOM = 44;
/** The style of the page has so many colours for dots. */
export const DOT_COLOURS = 4;

/** Dots of one colour for each set, both axes from zero. Needs a table beside it. */
export function scatterChart(title: string, xUnit: string, yUnit: string, sets: readonly Dots[]): Markup {
  const xTicks = niceTicks(Math.max(0, ...sets.flatMap(({ x }) => x)));
  const yTicks = niceTicks(Math.max(0, ...sets.flatMap(({ y }) => y)));
  const px = (value: number) => Math.round(LEFT + (value / (xTicks.at(-1) ?? 1)) * WIDTH);
  const py = (value: number) => Math.round(TOP + HEIGHT * (1 - value / (yTicks.at(-1) ?? 1)));
  return html`<svg class="small" viewBox="0 0 ${LEFT + WIDTH + 24} ${TOP + HEIGHT + BOTTOM}" role="img" aria-label="${title}">
${yTicks.map(
  (tick) => html`<line class="grid" x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${py(tick)}" y2="${py(tick)}"/>
<text class="tick" x="${LEFT - 6}" y="${py(tick) + 4}" text-anchor="end">${quantity(tick)}</text>`,
)}
${xTicks.map((tick) => html`<text class="tick" x="${px(tick)}" y="${TOP + HEIGHT + 17}" text-anchor="middle">${quantity(tick)}</text>`)}
<text class="tick" x="${LEFT + WIDTH / 2}" y="${TOP + HEIGHT + 36}" text-anchor="middle">across: ${xUnit}; up: ${yUnit}</text>
${sets.map(({ x, y }, i) => {
  const path = x.map((value, at) => `M${px(value)} ${py(y[at] ?? 0)}h0`).join('');
  return html`<path class="dots dots-${i % DOT_COLOURS}" d="${path}"/>`;
})}
</svg>`;
}
