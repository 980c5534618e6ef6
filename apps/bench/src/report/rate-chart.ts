import { nameLines, nanoseconds, quantity } from '../judge/words.js';
import { PERCENTILES } from '../measure/latencies.js';
import type { ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import { html, type Markup } from './markup.js';
import { type Label, LINE, type Place, placeLabels, placeMarks } from './place-labels.js';
import { pictureStyle } from './style.js';

/** `load`: at a share of what it can do; `need`: at the rate that is needed; `burst`: per id of a burst. */
interface Point {
  readonly kind: 'load' | 'need' | 'burst';
  /** Ids per second in one process. */
  readonly rate: number;
  /** In nanoseconds. */
  readonly p99: number;
}

export interface Candidate {
  readonly label: string;
  readonly look: 'chosen' | 'strategy' | 'control';
  /** By rate. */
  readonly points: readonly Point[];
}

type Drawn = Omit<Candidate, 'points'> & { readonly points: readonly (Point & { readonly at: Place })[] };

interface Size {
  readonly name: 'wide' | 'narrow';
  readonly width: number;
  readonly height: number;
  /** For labels to the right of the plot. */
  readonly right: number;
}

const SIZES = [
  { name: 'wide', width: 640, height: 400, right: 124 },
  { name: 'narrow', width: 350, height: 420, right: 112 },
] as const satisfies readonly Size[];
const [LEFT, TOP, BOTTOM] = [52, 30, 40];

/**
 * p99 against the rate, for strategies and what people already use, with what the service needs as lines.
 * Drawn for wide and for narrow screens, of which the style of the page shows one. Empty if nothing was
 * measured.
 */
export function ratePicture(
  cases: readonly CaseResult[],
  needs: ServiceNeeds,
  chosen: readonly string[],
): Markup {
  const candidates = candidatesOf(cases, chosen);
  if (candidates.length === 0) return html``;
  const points = candidates.flatMap((one) => one.points);
  const kinds = new Set(points.map(({ kind }) => kind));
  const caption = [
    'p99 against the rate in one process; lower and further to the right is better. Each step of an axis is a factor of ten.',
    kinds.has('load') && 'Dots: callers that come on their own, at 50, 80 and 95 % of what it can do.',
    kinds.has('need') && 'Diamonds: at your rate, in all processes of the run at once.',
    kinds.has('burst') && 'Rings: in bursts from memory, per id.',
    'Dotted lines only connect.',
    needs.rate === undefined && 'With --rate and --p99, lines show what you need.',
  ].filter(Boolean);
  return html`<figure class="picture">${SIZES.map((size) => chart(candidates, needs, size))}
<figcaption class="soft">${caption.join(' ')}</figcaption></figure>`;
}

/** Those of which something was measured. */
export function candidatesOf(cases: readonly CaseResult[], chosen: readonly string[]): Candidate[] {
  const candidates = cases
    .filter(({ kind, alternative }) => kind === 'strategy' || alternative !== undefined)
    .map((one): Candidate => {
      const look = chosen.includes(one.name) ? 'chosen' : one.alternative ? 'control' : 'strategy';
      return { label: one.alternative?.name ?? one.name, look, points: pointsOf(one) };
    });
  const [floor] = cases.flatMap(({ atRate }) => (atRate ? [{ ...atRate, ...atRate.floor }] : []));
  const nothing: Candidate[] = floor
    ? [{ label: 'costs nothing', look: 'control', points: pointsOf({ atRate: floor }) }]
    : [];
  // The chosen one is drawn last, above the others.
  return [...nothing, ...candidates]
    .filter(({ points }) => points.length > 0)
    .sort((a, b) => Number(a.look === 'chosen') - Number(b.look === 'chosen'));
}

/** As a file of its own. */
export function standalonePicture(candidates: readonly Candidate[], name: Size['name']): string {
  const size = SIZES.find((one) => one.name === name) ?? SIZES[0];
  const { width, height } = size;
  const { text } = chart(candidates, {}, size);
  const root = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" `;
  const start = `><style>${pictureStyle}</style><rect class="ground" width="${width}" height="${height}"/>`;
  return `${text.replace('<svg ', root).replace('>', start)}\n`;
}

function pointsOf({
  openLoops = [],
  atRate,
  sync,
}: Pick<CaseResult, 'openLoops' | 'atRate' | 'sync'>): Point[] {
  const p99Of = (latency: readonly (number | null)[]) => latency[PERCENTILES.indexOf(99)] ?? 0;
  const loads = openLoops.map(({ rate, latency }): Point => ({ kind: 'load', rate, p99: p99Of(latency) }));
  const bursts: Point[] = sync ? [{ kind: 'burst', rate: sync.idsPerSecond.median, p99: sync.p99 }] : [];
  const needed: Point[] = atRate
    ? [{ kind: 'need', rate: Math.min(atRate.rate, atRate.achieved), p99: p99Of(atRate.latency) }]
    : [];
  return [...needed, ...loads, ...bursts]
    .filter(({ rate, p99 }) => rate > 0 && p99 > 0)
    .sort((a, b) => a.rate - b.rate);
}

/** Whole powers of ten around the values. */
function decades(values: readonly number[]): { readonly low: number; readonly ticks: readonly number[] } {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return { low, ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) };
}

function chart(candidates: readonly Candidate[], { rate, p99Ms }: ServiceNeeds, size: Size): Markup {
  const { name, width, height, right } = size;
  const needed = p99Ms === undefined ? undefined : p99Ms * 1e6;
  const points = candidates.flatMap((one) => one.points);
  const across = decades([...points.map((point) => point.rate), ...(rate ? [rate] : [])]);
  const up = decades([...points.map(({ p99 }) => p99), ...(needed ? [needed] : [])]);
  const [end, bottom] = [width - right, height - BOTTOM];
  const x = (value: number) =>
    Math.round(LEFT + ((Math.log10(value) - across.low) / (across.ticks.length - 1)) * (end - LEFT));
  const y = (value: number) =>
    Math.round(bottom - ((Math.log10(value) - up.low) / (up.ticks.length - 1)) * (bottom - TOP));
  const drawn = candidates.map(
    ({ points: own, ...one }): Drawn => ({
      ...one,
      points: own.map((point) => ({ ...point, at: [x(point.rate), y(point.p99)] as const })),
    }),
  );
  const places = drawn.map(({ points: own }) => own.map(({ at }) => at));
  const plot = { left: LEFT, end, top: TOP, bottom, width };
  const marks = placeMarks(
    [
      ...(rate === undefined ? [] : [{ text: `your rate: ${quantity(rate)}/s`, x: x(rate) }]),
      ...(needed === undefined ? [] : [{ text: `your p99: ${nanoseconds(needed)}`, y: y(needed) }]),
    ],
    places.flat(),
    plot,
  );
  const names = drawn.map(({ label, look }, i) => ({
    lines: nameLines(label),
    bold: look === 'chosen',
    points: places[i] ?? [],
  }));
  const labels = placeLabels(names, marks, plot);
  // A label for each power would not fit on a narrow screen.
  const every = Math.ceil((across.ticks.length * 42) / (end - LEFT));
  return html`<svg class="${name}" viewBox="0 0 ${width} ${height}" role="img" aria-label="p99 against the rate, by strategy">
${across.ticks.map(
  (tick, i) =>
    html`<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${TOP}" y2="${bottom}"/>${
      i % every === 0
        ? html`<text class="tick" x="${x(tick)}" y="${bottom + 16}" text-anchor="middle">${quantity(tick)}</text>`
        : ''
    }`,
)}
${up.ticks.map(
  (tick) => html`<line class="grid" x1="${LEFT}" x2="${end}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="tick" x="${LEFT - 6}" y="${y(tick) + 4}" text-anchor="end">${nanoseconds(tick)}</text>`,
)}
<text class="tick" x="${(LEFT + end) / 2}" y="${bottom + 34}" text-anchor="middle">ids/s in one process</text>
<text class="tick" x="0" y="12">p99 of a call</text>
${marks.map(
  ({ text, left, y: at, line: [x1, y1, x2, y2] }) =>
    html`<line class="mark" x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}"/><text class="marking" x="${left}" y="${at}">${text}</text>`,
)}
${drawn.map(({ look, points: own }) => html`<g class="candidate ${look}">${curve(own)}</g>`)}
${drawn.map(({ look }, i) => html`<g class="candidate ${look}">${labels[i] === undefined ? '' : labelOf(labels[i])}</g>`)}
</svg>`;
}

/** Solid between loads that were measured one after the other, otherwise dotted. */
function curve(points: Drawn['points']): Markup {
  const loads = points.filter(({ kind }) => kind === 'load');
  return html`${pathOf(points, 'guess')}${pathOf(loads, 'line')}${points.map(({ kind, at: [x, y] }) =>
    kind === 'need'
      ? html`<path class="dot" d="M${x - 5} ${y}l5 -5l5 5l-5 5Z"/>`
      : html`<circle class="${kind === 'burst' ? 'ring' : 'dot'}" cx="${x}" cy="${y}" r="3.5"/>`,
  )}`;
}

function pathOf(points: readonly { readonly at: Place }[], kind: string): Markup {
  const path = points.map(({ at: [x, y] }, i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  return points.length > 1 ? html`<path class="${kind}" d="${path}"/>` : html``;
}

/** With a line to its point if it is not beside it. */
function labelOf({ texts, left, y, leader }: Label): Markup {
  return html`${leader === undefined ? '' : html`<path class="leader" d="M${leader[0]} ${leader[1]}L${leader[2]} ${leader[3]}"/>`}${texts.map(
    (text, i) =>
      html`<text class="label" x="${left}" y="${y - (texts.length - 1 - i) * LINE}">${text}</text>`,
  )}`;
}
