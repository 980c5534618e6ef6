import { p99Of } from '../judge/load.js';
import { nameLines, nanoseconds, quantity } from '../judge/words.js';
import type { ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import type { BenchResult } from '../schema/run.js';
import { html, type Markup } from './markup.js';
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

/** As wide as the screen of a phone, where it is not shrunk. */
const WIDTH = 350;
const [LEFT, TOP, BELOW] = [52, 34, 40];
/** Of the plot, unless there are more names. */
const LEAST_HEIGHT = 250;
/** For the names, to the right of the plot. */
const NAMES = 128;
/** From one line of text to the next. */
const LINE = 14;

/**
 * p99 against the rate, for strategies and what people already use, with what the service needs as lines.
 * Empty if nothing was measured.
 */
export function ratePicture({ cases, advice }: BenchResult): Markup {
  const needs = advice?.needs ?? {};
  const candidates = candidatesOf(cases, advice?.choice);
  if (candidates.length === 0) return html``;
  const kinds = new Set(candidates.flatMap(({ points }) => points.map(({ kind }) => kind)));
  const caption = [
    'p99 against the rate in one process; lower and further to the right is better. Each step of an axis is a factor of ten.',
    kinds.has('load') && 'Dots: callers that come on their own, at 50, 80 and 95 % of what it can do.',
    kinds.has('need') && 'Diamonds: at your rate, in all processes of the run at once.',
    kinds.has('burst') && 'Rings: in bursts from memory, per id.',
    'Dotted lines only connect.',
    needs.rate === undefined && 'With --rate and --p99, lines show what you need.',
  ].filter(Boolean);
  return html`<figure class="picture">${chart(candidates, needs)}
<figcaption class="soft">${caption.join(' ')}</figcaption></figure>`;
}

/** Those of which something was measured. */
export function candidatesOf(cases: readonly CaseResult[], chosen: string | undefined): Candidate[] {
  const candidates = cases
    .filter(({ kind, usual }) => kind === 'strategy' || usual)
    .map((one): Candidate => {
      const look = one.name === chosen ? 'chosen' : one.kind;
      return { label: one.name, look, points: pointsOf(one) };
    });
  const baselines = cases.flatMap(({ atRate }) => (atRate ? [{ ...atRate, ...atRate.baseline }] : []));
  const nothing = baselines
    .slice(0, 1)
    .map((atRate): Candidate => ({ label: 'costs nothing', look: 'control', points: pointsOf({ atRate }) }));
  // The chosen one is drawn last, above the others.
  return [...nothing, ...candidates]
    .filter(({ points }) => points.length > 0)
    .sort((a, b) => Number(a.look === 'chosen') - Number(b.look === 'chosen'));
}

/** As a file of its own. */
export function standalonePicture(candidates: readonly Candidate[]): string {
  const root = '<svg xmlns="http://www.w3.org/2000/svg" width="480" ';
  const start = `><style>${pictureStyle}</style><rect class="ground" width="100%" height="100%"/>`;
  return `${chart(candidates, {}).text.replace('<svg ', root).replace('>', start)}\n`;
}

function pointsOf({ openLoops = [], atRate, sync }: Partial<CaseResult>): Point[] {
  const points: Point[] = openLoops.map((one) => ({ kind: 'load', rate: one.rate, p99: p99Of(one) ?? 0 }));
  if (sync) points.push({ kind: 'burst', rate: sync.idsPerSecond.median, p99: sync.p99 });
  if (atRate) {
    const rate = Math.min(atRate.rate, atRate.achieved);
    points.push({ kind: 'need', rate, p99: p99Of(atRate) ?? 0 });
  }
  return points.filter(({ rate, p99 }) => rate > 0 && p99 > 0).sort((a, b) => a.rate - b.rate);
}

interface Axis {
  /** Whole powers of ten around the values. */
  readonly ticks: readonly number[];
  at(value: number): number;
}

function axis(values: readonly number[], from: number, to: number): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const steps = Math.max(1, Math.ceil(Math.log10(Math.max(...values))) - low);
  return {
    ticks: Array.from({ length: steps + 1 }, (_, i) => 10 ** (low + i)),
    at: (value) => Math.round(from + ((Math.log10(value) - low) / steps) * (to - from)),
  };
}

function chart(candidates: readonly Candidate[], { rate, p99Ms }: ServiceNeeds): Markup {
  const end = WIDTH - NAMES;
  const lines = candidates.flatMap(({ label }) => nameLines(label)).length;
  const bottom = TOP + Math.max(LEAST_HEIGHT, lines * LINE);
  const points = candidates.flatMap((one) => one.points);
  const needed = p99Ms === undefined ? [] : [p99Ms * 1e6];
  const rates = rate === undefined ? [] : [rate];
  const across = axis([...points.map((point) => point.rate), ...rates], LEFT, end);
  const up = axis([...points.map(({ p99 }) => p99), ...needed], bottom, TOP);
  // A label for each power would not fit.
  const every = Math.ceil((across.ticks.length * 42) / (end - LEFT));
  return html`<svg viewBox="0 0 ${WIDTH} ${bottom + BELOW}" role="img" aria-label="p99 against the rate, by strategy">
${across.ticks.map((tick, i) => {
  const x = across.at(tick);
  return html`<line class="grid" x1="${x}" x2="${x}" y1="${TOP}" y2="${bottom}"/>
${i % every > 0 ? '' : html`<text class="tick" x="${x}" y="${bottom + 16}" text-anchor="middle">${quantity(tick)}</text>`}`;
})}
${up.ticks.map((tick) => {
  const y = up.at(tick);
  return html`<line class="grid" x1="${LEFT}" x2="${end}" y1="${y}" y2="${y}"/>
<text class="tick" x="${LEFT - 6}" y="${y + 4}" text-anchor="end">${nanoseconds(tick)}</text>`;
})}
<text class="tick" x="${(LEFT + end) / 2}" y="${bottom + 34}" text-anchor="middle">ids/s in one process</text>
<text class="tick" x="0" y="12">p99 of a call</text>
${rates.map((value) => {
  const x = across.at(value);
  const middle = Math.min(Math.max(x, LEFT + 50), end);
  return html`<line class="mark" x1="${x}" x2="${x}" y1="${TOP}" y2="${bottom}"/>
<text class="marking" x="${middle}" y="${TOP - 6}" text-anchor="middle">your rate: ${quantity(value)}/s</text>`;
})}
${needed.map((value) => {
  const y = up.at(value);
  return html`<line class="mark" x1="${LEFT}" x2="${end}" y1="${y}" y2="${y}"/>
<text class="marking" x="${end - 4}" y="${y < TOP + LINE ? y + LINE : y - 5}" text-anchor="end">your p99: ${nanoseconds(value)}</text>`;
})}
${candidates.map(({ look, points: own }) => html`<g class="candidate ${look}">${curve(own, across, up)}</g>`)}
${namesOf(candidates, across, up, (bottom - TOP) / lines)}
</svg>`;
}

function curve(points: readonly Point[], across: Axis, up: Axis): Markup {
  const places = points.map(({ rate, p99 }) => `${across.at(rate)} ${up.at(p99)}`);
  const dots = points.map(({ kind, rate, p99 }) => {
    const [x, y] = [across.at(rate), up.at(p99)];
    if (kind === 'need') return html`<path class="dot" d="M${x - 5} ${y}l5 -5l5 5l-5 5Z"/>`;
    return html`<circle class="${kind === 'burst' ? 'ring' : 'dot'}" cx="${x}" cy="${y}" r="3.5"/>`;
  });
  return html`<path class="line" d="M${places.join('L')}"/>${dots}`;
}

/** Spread over the height beside the plot, in the order of their last points; `step`: from line to line. */
function namesOf(candidates: readonly Candidate[], across: Axis, up: Axis, step: number): Markup {
  const names = candidates.map(({ label, look, points }) => {
    const { rate, p99 } = points.at(-1) as Point;
    return { lines: nameLines(label), look, x: across.at(rate), y: up.at(p99) };
  });
  names.sort((a, b) => a.y - b.y);
  const left = WIDTH - NAMES + 8;
  let top = TOP;
  return html`${names.map(({ lines, look, x, y }) => {
    const middle = Math.round(top + (lines.length * step) / 2);
    const first = middle - (lines.length * LINE) / 2;
    top += lines.length * step;
    return html`<g class="candidate ${look}">
<path class="leader" d="M${x} ${y}L${left - 2} ${middle}"/>
${lines.map((line = '', i) => html`<text class="label" x="${left}" y="${first + (i + 1) * LINE - 3}">${line}</text>`)}</g>`;
  })}`;
}
