import { html, type Markup } from './escape.js';

export interface Line {
  readonly label: string;
  readonly emphasis: boolean;
  /** One per place on the x axis; `null` where nothing is known. Greater than 0. */
  readonly values: readonly (number | null)[];
}

const LEFT = 70;
const PLOT_WIDTH = 440;
const RIGHT = 190;
const PLOT_HEIGHT = 240;
const TOP = 10;
const BOTTOM = 36;
/** Between two labels at the right end. */
const LABEL_GAP = 16;

/** Lines over named places, on a logarithmic axis that runs over whole powers of ten. Needs a table beside it. */
export function lineChart(
  title: string,
  places: readonly string[],
  lines: readonly Line[],
  unit: (value: number) => string,
): Markup {
  const all = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  if (all.length === 0) return html``;
  const low = Math.floor(Math.log10(Math.min(...all)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...all))));
  const x = (place: number) => Math.round(LEFT + (place / Math.max(1, places.length - 1)) * PLOT_WIDTH);
  const y = (value: number) => Math.round(TOP + PLOT_HEIGHT * (1 - (Math.log10(value) - low) / (high - low)));
  const powers = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  const labelled = spread(lines.map((line) => y(lastOf(line))));
  return html`<div class="scroll"><svg viewBox="0 0 ${LEFT + PLOT_WIDTH + RIGHT} ${TOP + PLOT_HEIGHT + BOTTOM}" role="img" aria-label="${title}">
${powers.map(
  (
    power,
  ) => html`<line class="grid" x1="${LEFT}" x2="${LEFT + PLOT_WIDTH}" y1="${y(power)}" y2="${y(power)}"/>
<text class="tick" x="${LEFT - 8}" y="${y(power) + 4}" text-anchor="end">${unit(power)}</text>`,
)}
${places.map(
  (place, i) =>
    html`<text class="tick" x="${x(i)}" y="${TOP + PLOT_HEIGHT + 20}" text-anchor="middle">${place}</text>`,
)}
${lines.map((line, i) => drawLine(line, x, y, labelled[i] ?? 0))}
</svg></div>`;
}

function drawLine(
  { label, emphasis, values }: Line,
  x: (place: number) => number,
  y: (value: number) => number,
  labelY: number,
): Markup {
  const points = values.flatMap((value, place) => (value === null ? [] : [{ x: x(place), y: y(value) }]));
  const end = points.at(-1);
  if (end === undefined) return html``;
  const path = points.map((point, i) => `${i === 0 ? 'M' : 'L'}${point.x} ${point.y}`).join('');
  const kind = emphasis ? 'strategy' : 'control';
  return html`<g><path class="line ${kind}" d="${path}"/>${points.map(
    (point) => html`<circle class="${kind}" cx="${point.x}" cy="${point.y}" r="3"/>`,
  )}
<path class="leader" d="M${end.x + 5} ${end.y}L${LEFT + PLOT_WIDTH + 16} ${labelY}"/>
<text class="label" x="${LEFT + PLOT_WIDTH + 20}" y="${labelY + 4}">${label}</text></g>`;
}

function lastOf({ values }: Line): number {
  return values.filter((value) => value !== null).at(-1) ?? 1;
}

/** Moves labels that would overlap apart, downwards, in their order. */
function spread(heights: readonly number[]): number[] {
  const order = heights.map((_, i) => i).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const placed = [...heights];
  let lowest = Number.NEGATIVE_INFINITY;
  for (const i of order) {
    const at = Math.max(heights[i] ?? 0, lowest + LABEL_GAP);
    placed[i] = at;
    lowest = at;
  }
  return placed;
}
