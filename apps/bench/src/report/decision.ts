import { isUuid } from '@ids/core';
import { HEADLINE } from '../experiments/profile.js';
import { bestRate, p99Of } from '../judge/load.js';
import { fitWord, notTested } from '../judge/rank.js';
import { count, nanoseconds, observedText, quantity } from '../judge/words.js';
import type { Fit } from '../schema/advice.js';
import type { CaseResult, PlainGuarantees } from '../schema/case.js';
import type { BenchResult } from '../schema/run.js';
import { type Cell, nameCell, type Section, table } from './blocks.js';

const IN_USE =
  'For comparison: what people already use, as measured here. docs/choosing.md says what each of them guarantees.';

/** Strategies best first, then what people already use, of which only speed is known. */
export function decision({ advice, cases }: BenchResult): Section {
  const [rate] = cases.flatMap(({ atRate }) => atRate?.rate ?? []);
  const fits = advice?.fits ?? [];
  const { cells, notes } = fitNotes(fits, cases);
  const found = table<CaseResult>(
    'Strategies, best first',
    [
      ['strategy', caseCell, 20],
      ['fits', ({ name }) => cells.get(name) ?? '', 9],
      ['most ids/s in one process', mostCell, 16],
      rate === undefined ? ['p99', p99Cell, 13] : [`p99 at ${quantity(rate)} ids/s`, p99AtRate, 13],
      ['order across processes', orderCell, 22],
      ['repeated ids', uniqueCell, 12],
      ['lost in a crash', lostCell, 12],
      ['column', columnCell, 12],
      ['needs', ({ guarantees }) => (guarantees ? serversText(guarantees.backends) : ''), 13],
      ['outsiders learn', learnCell, 11],
    ],
    bestFirst(cases, fits),
    { [IN_USE]: cases.filter(({ usual }) => usual) },
  );
  return { title: 'Decision table', blocks: [found, ...notes] };
}

/** The strategies, in the order of their fits. */
function bestFirst(cases: readonly CaseResult[], fits: readonly Fit[]): CaseResult[] {
  const places = fits.map(({ strategy }) => strategy);
  return cases
    .filter(({ kind }) => kind === 'strategy')
    .sort((a, b) => places.indexOf(a.name) - places.indexOf(b.name));
}

export const columnNotes: Section = {
  title: 'What the columns mean',
  blocks: [
    {
      items: [
        'Most ids/s: asked for one by one in one process, in the way that gives the most: without waiting (nextSync), or by that many callers that wait. It includes the waits for new ranges of numbers.',
        'p99: 99 of 100 calls take no longer, over the whole time. In bursts: 99 of 100 bursts of 1,000 calls took no longer per call on average, which hides single slow calls. Worst block: p99 in the worst fifth of the time. Without --rate, it comes from different loads, which are noted: compare it only where the notes are equal.',
        'Order: as this run observed it, with what is promised. Real-time: an id is greater than all that were returned, anywhere, before it was asked for. By time, within 11 s (k-sorted): ids made more than 11 s apart sort by time.',
        'Lost in a crash: the most numbers that are set aside at any moment, and are never issued if the process or server that holds them dies. Ids that are made one by one lose nothing.',
      ],
    },
  ],
};

function caseCell({ name, status }: CaseResult): Cell {
  const { text, note } = nameCell(name);
  const trouble = status === 'ok' ? '' : status.toUpperCase();
  return { text, note: [note, trouble].filter(Boolean).join('; '), bad: status === 'failed' };
}

/** The most ids per second in one process, one by one, called in the way that gives the most. */
function mostCell(result: CaseResult): Cell {
  const best = bestRate(result);
  return best ? { text: quantity(best.idsPerSecond), note: best.how } : '-';
}

/** At the rate that the service needs. */
function p99AtRate({ atRate }: CaseResult): Cell {
  const p99 = atRate ? p99Of(atRate) : null;
  if (atRate === undefined || p99 === null) return '-';
  const { overloaded, achieved, p99OfWorstBlock: worst } = atRate;
  const block = worst === null ? '' : `worst block ${nanoseconds(worst)}`;
  return { text: nanoseconds(p99), note: overloaded ? `only ${quantity(achieved)} ids/s` : block };
}

/** Under the load at which it was measured, if the service states no rate. */
function p99Cell({ sync, loops = [] }: CaseResult): Cell {
  if (sync && loops.length === 0) return { text: nanoseconds(sync.p99), note: 'in bursts' };
  const { concurrency, batch } = HEADLINE;
  const loop = loops.find((one) => one.concurrency === concurrency && one.batch === batch);
  return loop ? { text: nanoseconds(loop.p99), note: `${loop.concurrency} callers` } : '-';
}

/** As observed; the promise is noted where it is something else. */
function orderCell({ order, guarantees }: CaseResult): Cell {
  if (guarantees === undefined) return '';
  const promised = promisedText(guarantees.order);
  if (order === undefined) return { text: promised, note: 'not tested here' };
  const text = observedText(order);
  return { text, note: text === promised ? '' : `promised: ${promised.replace('by time, ', '')}` };
}

function promisedText({ process, cluster, skewMs = 0 }: PlainGuarantees['order']): string {
  const weakest = process === 'increasing' ? 'per process' : 'none';
  return observedText({ observed: cluster === 'none' ? weakest : cluster, skewMs });
}

const BACKEND = { redis: 'Redis', sql: 'a SQL database', http: 'a server of IDs' };

function serversText(backends: PlainGuarantees['backends']): string {
  return backends.map((backend) => BACKEND[backend]).join(' and ') || 'nothing';
}

function uniqueCell({ uniqueness, guarantees }: CaseResult): Cell {
  if (uniqueness === undefined) return guarantees ? 'not tested' : '';
  const text = `${count(uniqueness.duplicates)} of ${quantity(uniqueness.ids)}`;
  return { text, note: guarantees?.unique === 'process' ? 'in one process' : '' };
}

function lostCell({ guarantees }: CaseResult): Cell {
  if (guarantees === undefined) return '';
  const { maxIdsLost, gaps } = guarantees;
  if (maxIdsLost === 0 || gaps === 'never') return 'nothing';
  const text = maxIdsLost === undefined ? 'no bound' : `up to ${count(maxIdsLost)}`;
  return { text, note: gaps === 'on-restart' ? 'and when a process ends' : '' };
}

function columnCell({ guarantees }: CaseResult): Cell {
  if (guarantees === undefined) return '';
  const { idType, text } = guarantees;
  if (idType !== 'string') return { text: 'bigint', note: '8 bytes' };
  if (isUuid(text)) return { text: 'uuid', note: '16 bytes' };
  const { minLength, maxLength } = text;
  const fixed = minLength === maxLength;
  return { text: 'text', note: fixed ? `${maxLength} long` : `up to ${maxLength}` };
}

function learnCell({ guarantees }: CaseResult): Cell {
  return guarantees === undefined ? '' : guarantees.discloses.join(', ') || 'nothing';
}

const DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const WHEN_OBFUSCATED =
  'when obfuscated: outsiders see its ids through @ids/encode, with "obfuscate" and a key, and learn nothing from them';

/**
 * The column "fits" of the decision table. `cells`: `yes`, or `no¹`, `maybe¹` or `failed¹` with a footnote.
 * `notes`: `¹ order across processes: needs real-time, offers k-sorted`; equal ones are one.
 */
function fitNotes(fits: readonly Fit[], cases: readonly CaseResult[]) {
  const notes: string[] = [];
  const markOf = (note: string): string => {
    if (!notes.includes(note)) notes.push(note);
    return superscript(notes.indexOf(note) + 1);
  };
  // What people already use can fail too, and has no fit.
  const failed = cases.filter(
    ({ status, kind, usual }) => status === 'failed' && (kind === 'strategy' || usual),
  );
  const others = fits.filter(({ strategy }) => failed.every(({ name }) => name !== strategy));
  const cells = others.map((fit): [string, Cell] => {
    const note = noteOf(fit);
    return [fit.strategy, `${fitWord(fit)}${note === undefined ? '' : markOf(note)}`];
  });
  const failures = failed.map(({ name, reason = '' }): [string, Cell] => {
    const [first = ''] = reason.split('\n');
    return [name, { text: `failed${markOf(`failed: ${first}`)}`, bad: true }];
  });
  return {
    cells: new Map([...cells, ...failures]),
    notes: notes.map((note, i) => `${superscript(i + 1)} ${note}`),
  };
}

function noteOf({ unmet, unproven = [], obfuscate }: Fit): string | undefined {
  if (unmet.length > 0) return unmet.join('; ');
  if (unproven.length > 0) return unproven.map(notTested).join('; ');
  return obfuscate ? WHEN_OBFUSCATED : undefined;
}

function superscript(number: number): string {
  return String(number).replace(/\d/g, (digit) => DIGITS[Number(digit)] ?? digit);
}
