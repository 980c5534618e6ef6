import { count, nameLines } from '../judge/words.js';
import type { Anatomy, CaseResult } from '../schema/case.js';
import { html, type Markup, nameCell, type Section, table } from './markup.js';
import { niceTicks } from './svg-chart.js';

/** The parts of an id, what they reveal and how long the format lasts at `rate` ids per second. */
export function anatomySection(
  strategies: readonly CaseResult[],
  { startedAt, rate = 1e6 }: { readonly startedAt: string; readonly rate?: number | undefined },
): Section[] {
  const known = strategies.flatMap(({ anatomy, ...one }) => (anatomy ? [{ ...one, anatomy }] : []));
  if (known.length === 0) return [];
  const year = new Date(startedAt).getUTCFullYear();
  const body = html`<p>One id of each strategy from this run, to scale. <span class="tells">Parts that reveal something to an outsider</span> have another colour.</p>
${strips(known)}
${table(
  'The parts of each id',
  ['strategy', 'part', 'contains', 'reveals'],
  known.flatMap(({ name, anatomy }) =>
    anatomy.parts.map(({ text, holds, tells }) => [
      nameCell(name),
      html`<code>${text}</code>`,
      holds,
      tells ?? 'nothing',
    ]),
  ),
)}
${table(
  `Size, order and end, at ${count(rate)} ids per second`,
  ['strategy', 'in a column', 'as a string', 'strings sort like the ids', 'discloses', 'runs out'],
  known.map(({ name, anatomy, maxLength, guarantees }) => [
    nameCell(name),
    anatomy.bytes === undefined ? 'text' : `${anatomy.bytes} bytes`,
    `up to ${maxLength} characters`,
    guarantees?.text.sortable ? 'yes' : 'no',
    guarantees?.discloses.join(', ') || 'nothing',
    endText(anatomy.lasts, year, rate),
  ]),
)}`;
  return [{ title: 'The parts of an id', body }];
}

const SECONDS_PER_YEAR = 31_556_952;

function endText(lasts: Anatomy['lasts'], year: number, rate: number): string {
  if ('until' in lasts) return `on ${lasts.until}`;
  const end = Math.floor(year + lasts.ids / rate / SECONDS_PER_YEAR);
  const whose = lasts.of === 'sequence' ? 'at this rate of all processes' : 'if one process runs as long';
  return end > 9_999 ? `after the year 9999, ${whose}` : `in the year ${end}, ${whose}`;
}

const ROW = 34;
const LABELS = 150;
const PLOT = 480;

/** A strip per id, with parts drawn to scale. */
function strips(known: readonly { readonly name: string; readonly anatomy: Anatomy }[]): Markup {
  const lengths = known.map(({ anatomy }) => anatomy.parts.reduce((sum, { text }) => sum + text.length, 0));
  const ticks = niceTicks(Math.max(...lengths));
  const x = (characters: number) => Math.round(LABELS + (characters / (ticks.at(-1) ?? 1)) * PLOT);
  const bottom = known.length * ROW;
  return html`<div class="scroll"><svg viewBox="0 0 ${LABELS + PLOT + 24} ${bottom + 46}" role="img" aria-label="Parts of an id of each strategy">
${ticks.map(
  (tick) => html`<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="0" y2="${bottom}"/>
<text class="tick" x="${x(tick)}" y="${bottom + 16}" text-anchor="middle">${tick}</text>`,
)}
<text class="tick" x="${LABELS + PLOT / 2}" y="${bottom + 36}" text-anchor="middle">characters</text>
${known.map(({ name, anatomy }, row) => {
  let at = 0;
  const y = row * ROW + 5;
  const lines = nameLines(name);
  const top = y + 16 - (lines.length - 1) * 7;
  const label = lines.map(
    (line, i) =>
      html`<text class="label" x="${LABELS - 8}" y="${top + i * 14}" text-anchor="end">${line ?? ''}</text>`,
  );
  return html`${label}${anatomy.parts.map(({ text, tells }) => {
    const from = x(at);
    at += text.length;
    return html`<rect class="part ${tells ? 'strategy' : 'control'}" x="${from}" y="${y}" width="${Math.max(1, x(at) - from)}" height="${ROW - 10}"/>`;
  })}`;
})}
</svg></div>`;
}
