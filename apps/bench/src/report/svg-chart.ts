import { quantity } from '../judge/words.js';
import { html, type Markup, type Part } from './markup.js';

// Each chart needs a table with the same figures, for readers who cannot see it.

const SMALL = { width: 320, top: 30, bottom: 44 };

interface SmallChart {
  readonly title: string;
  readonly left: number;
  readonly height: number;
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
  readonly xUnit: string;
  readonly yUnit: string;
}

/** Both axes from zero to their last tick; `draw` gets the positions of values. */
function smallChart(
  { title, left, height, xTicks, yTicks, xUnit, yUnit }: SmallChart,
  draw: (x: (value: number) => number, y: (value: number) => number) => { under: Part; over: Part },
): Markup {
  const tenth = (value: number) => Math.round(value * 10) / 10;
  const x = (value: number) => tenth(left + (value / (xTicks.at(-1) ?? 1)) * SMALL.width);
  const y = (value: number) => tenth(SMALL.top + height * (1 - value / (yTicks.at(-1) ?? 1)));
  const { under, over } = draw(x, y);
  return html`<svg class="small" viewBox="0 0 ${left + SMALL.width + 24} ${SMALL.top + height + SMALL.bottom}" role="img" aria-label="${title}">
${under}
${yTicks.map(
  (tick) => html`<line class="grid" x1="${left}" x2="${left + SMALL.width}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="tick" x="${left - 6}" y="${y(tick) + 4}" text-anchor="end">${quantity(tick)}</text>`,
)}
${over}
${xTicks.map((tick) => html`<text class="tick" x="${x(tick)}" y="${SMALL.top + height + 17}" text-anchor="middle">${quantity(tick)}</text>`)}
<text class="tick" x="${left + SMALL.width / 2}" y="${SMALL.top + height + 36}" text-anchor="middle">${xUnit}</text>
<text class="tick" x="0" y="14">${yUnit}</text>
</svg>`;
}

interface Columns {
  readonly values: readonly number[];
  /** On the x axis, per column. */
  readonly width: number;
  /** A part of the x axis that is shaded. */
  readonly marked: { readonly from: number; readonly to: number };
}

/** Columns from zero. */
export function columnChart(title: string, xUnit: string, yUnit: string, columns: Columns): Markup {
  const { values, width, marked } = columns;
  const height = 80;
  const xTicks = niceTicks(Math.max(values.length * width, marked.to));
  const yTicks = [0, niceTicks(Math.max(0, ...values)).at(-1) ?? 1];
  return smallChart({ title, left: 48, height, xTicks, yTicks, xUnit, yUnit }, (x, y) => {
    const path = values.map(
      (value, i) => `M${x(i * width)} ${y(0)}V${y(value)}H${x((i + 1) * width)}V${y(0)}Z`,
    );
    const shaded = Math.max(2, Math.round(x(marked.to) - x(marked.from)));
    return {
      under: html`<rect class="marked" x="${x(marked.from)}" y="${SMALL.top}" height="${height}" width="${shaded}"/>`,
      over: html`<path class="strategy" d="${path.join('')}"/>`,
    };
  });
}

interface Dots {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** How many colours the style of the page has for dots. */
export const DOT_COLOURS = 4;

/** Dots of one colour for each set. */
export function scatterChart(title: string, xUnit: string, yUnit: string, sets: readonly Dots[]): Markup {
  const xTicks = niceTicks(Math.max(0, ...sets.flatMap(({ x }) => x)));
  const yTicks = niceTicks(Math.max(0, ...sets.flatMap(({ y }) => y)));
  return smallChart({ title, left: 56, height: 170, xTicks, yTicks, xUnit, yUnit }, (px, py) => ({
    under: '',
    over: sets.map(({ x, y }, i) => {
      const path = x.map((value, at) => `M${Math.round(px(value))} ${Math.round(py(y[at] ?? 0))}h0`).join('');
      return html`<path class="dots dots-${i % DOT_COLOURS}" d="${path}"/>`;
    }),
  }));
}

/** From zero to at least `top` in 3 to 6 round steps. */
export function niceTicks(top: number): number[] {
  if (!(top > 0)) return [0, 1];
  const rough = top / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.ceil(top / step);
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}
