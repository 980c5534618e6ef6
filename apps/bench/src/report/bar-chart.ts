import type { Estimate } from '../measure/statistics.js';
import { html, type Markup } from './escape.js';
import { quantity } from './format.js';

export interface Bar {
  readonly label: string;
  readonly value: Estimate;
  /** Bars of strategies stand out from those of controls. */
  readonly emphasis: boolean;
  /** Shown as a line across the bar, such as the ceiling of a format. */
  readonly limit?: number;
}

const ROW = 30;
const LABELS = 170;
const PLOT = 430;
const VALUES = 120;
const AXIS = 46;
/** Above the bars, for the label of a mark. */
const HEAD = 22;

/** A line across all bars. */
export interface Mark {
  readonly label: string;
  readonly value: number;
}

/** Horizontal bars from zero with a whisker for each interval. `unit` names the axis. Needs a table beside it. */
export function barChart(title: string, unit: string, bars: readonly Bar[], mark?: Mark): Markup {
  const top = Math.max(mark?.value ?? 0, ...bars.flatMap(({ value, limit }) => [value.high, limit ?? 0]));
  const ticks = niceTicks(top);
  const end = ticks.at(-1) ?? 1;
  // A tenth of a unit is less than a pixel.
  const x = (value: number) => Math.round((LABELS + (value / end) * PLOT) * 10) / 10;
  const head = mark === undefined ? 0 : HEAD;
  const bottom = head + bars.length * ROW + 8;
  const width = LABELS + PLOT + VALUES;
  return html`<div class="scroll"><svg viewBox="0 0 ${width} ${bottom + AXIS}" role="img" aria-label="${title}">
${ticks.map(
  (tick) => html`<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${head}" y2="${bottom}"/>
<text class="tick" x="${x(tick)}" y="${bottom + 16}" text-anchor="middle">${quantity(tick)}</text>`,
)}
<text class="tick" x="${LABELS + PLOT / 2}" y="${bottom + 36}" text-anchor="middle">${unit}</text>
${bars.map((bar, row) => drawBar(bar, head + row * ROW + 8, x))}
${mark === undefined ? '' : drawMark(mark, x(mark.value), bottom)}
</svg></div>`;
}

function drawMark({ label }: Mark, x: number, bottom: number): Markup {
  return html`<line class="mark" x1="${x}" x2="${x}" y1="${HEAD - 4}" y2="${bottom}"/>
<text class="tick" x="${x}" y="${HEAD - 8}" text-anchor="${x > LABELS + PLOT / 2 ? 'end' : 'start'}">${label}</text>`;
}

function drawBar({ label, value, emphasis, limit }: Bar, y: number, x: (value: number) => number): Markup {
  const { median, low, high } = value;
  const middle = y + ROW / 2 - 4;
  return html`<g>
<text class="label" x="${LABELS - 8}" y="${middle + 4}" text-anchor="end">${label}</text>
<rect class="${emphasis ? 'strategy' : 'control'}" x="${LABELS}" y="${y}" height="${ROW - 8}" width="${Math.max(1, x(median) - LABELS)}"/>
<path class="whisker" d="M${x(low)} ${middle}H${x(high)}M${x(low)} ${middle - 5}v10M${x(high)} ${middle - 5}v10"/>
${limit === undefined ? '' : html`<line class="limit" x1="${x(limit)}" x2="${x(limit)}" y1="${y - 3}" y2="${y + ROW - 5}"/>`}
<text class="value" x="${Math.max(x(high), x(median)) + 8}" y="${middle + 4}">${quantity(median)}</text>
</g>`;
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
