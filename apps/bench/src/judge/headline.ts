import { isUuid } from '@ids/core';
import { HEADLINE } from '../experiments/profile.js';
import { PERCENTILES } from '../measure/latencies.js';
import type { Advice, Fit } from '../schema/advice.js';
import type { CaseResult, OrderResult } from '../schema/case.js';
import type { LoopResult } from '../schema/figures.js';
import type { PlainGuarantees } from '../schema/guarantees.js';
import type { RunResult } from '../schema/run.js';
import { bestRate, fitOf } from './fit.js';
import { fitWord, notTested } from './rank.js';
import { count, nanoseconds, quantity } from './words.js';

/** What people already use, among the controls. */
export function inUseOf(cases: readonly CaseResult[]): CaseResult[] {
  return cases.filter(({ alternative }) => alternative !== undefined);
}

/** The strategies, best first for the first set of needs. */
export function bestFirst({ advice, cases }: Pick<RunResult, 'advice' | 'cases'>): CaseResult[] {
  const places = advice[0]?.fits.map(({ strategy }) => strategy) ?? [];
  return cases
    .filter(({ kind }) => kind === 'strategy')
    .sort((a, b) => places.indexOf(a.name) - places.indexOf(b.name));
}

/** A cell of the decision table: a figure or a word, and what to know about it. Empty if there is nothing. */
interface HeadlineCell {
  readonly text: string;
  readonly note: string;
}

/** The row of a strategy, or of what people already use, in the decision table. */
export interface Headline {
  readonly name: HeadlineCell;
  /** The most ids per second in one process, one by one, called in the way that gives the most. */
  readonly most: HeadlineCell;
  readonly p99: HeadlineCell;
  /** As observed; noted: as promised. */
  readonly order: HeadlineCell;
  readonly unique: HeadlineCell;
  readonly lost: HeadlineCell;
  readonly column: HeadlineCell;
  readonly needs: HeadlineCell;
  readonly discloses: HeadlineCell;
}

/** The titles of the columns; `rate` is that at which the run measured p99. */
export function headlineTitles(rate?: number): Readonly<Record<keyof Headline, string>> {
  return {
    name: 'strategy',
    most: 'most ids/s in one process',
    p99: rate === undefined ? 'p99' : `p99 at ${quantity(rate)} ids/s`,
    order: 'order across processes',
    unique: 'repeated ids',
    lost: 'lost in a crash',
    column: 'column',
    needs: 'needs',
    discloses: 'outsiders learn',
  };
}

/** What the columns mean, in whole sentences. */
export const HEADLINE_NOTES: readonly string[] = [
  'Most ids/s: asked for one by one in one process, in the way that gives the most: without waiting (nextSync), or by that many callers that wait. It includes the waits for new ranges of numbers.',
  'p99: 99 of 100 calls take no longer, over the whole time. Worst block: the same in the worst fifth of it. Without --rate, it comes from different loads, which are noted: compare it only where the notes are equal.',
  'Order: as this run observed it, with what is promised. Real-time: an id is greater than all that were returned, anywhere, before it was asked for. By time, within 11 s (k-sorted): ids made more than 11 s apart sort by time.',
  'Lost in a crash: the most numbers that are set aside at any moment, and are never issued if the process or server that holds them dies. Ids that are made one by one lose nothing.',
];

export function headlineOf(result: CaseResult, rate?: number): Headline {
  const { name, alternative, guarantees, uniqueness } = result;
  const best = bestRate(result);
  return {
    name: cell(alternative?.name ?? name, alternative && alternative.name !== name ? name : ''),
    most: best ? cell(quantity(best.idsPerSecond), best.how) : cell('-'),
    p99: rate === undefined ? quotedP99(result) : p99AtRate(result),
    order: orderCell(result),
    unique: uniqueness
      ? cell(`${count(uniqueness.duplicates)} of ${quantity(uniqueness.ids)}`)
      : cell('not tested', alternative?.uniqueBy),
    lost: cell(guarantees ? lostText(guarantees.maxIdsLost) : ''),
    column: columnCell(result),
    needs: cell(guarantees ? serversText(guarantees.backends) : ''),
    discloses: cell(guarantees?.discloses.join(', ') || 'nothing'),
  };
}

function cell(text: string, note = ''): HeadlineCell {
  return { text, note };
}

/** At the rate that the service needs. */
function p99AtRate({ atRate }: CaseResult): HeadlineCell {
  const p99 = atRate?.latency[PERCENTILES.indexOf(99)] ?? null;
  if (atRate === undefined || p99 === null) return cell('-');
  const { overloaded, achieved, p99OfWorstBlock } = atRate;
  if (overloaded) return cell(nanoseconds(p99), `only ${quantity(achieved)} ids/s`);
  return cell(
    nanoseconds(p99),
    p99OfWorstBlock === null ? '' : `worst block ${nanoseconds(p99OfWorstBlock)}`,
  );
}

/** Under the load at which it was measured, if the service states no rate. */
function quotedP99(result: CaseResult): HeadlineCell {
  const { sync, guarantees } = result;
  if (sync !== undefined && guarantees?.backends.length === 0)
    return cell(nanoseconds(sync.p99), 'in bursts');
  const loop = headlineLoop(result);
  return loop ? cell(nanoseconds(loop.p99), `${loop.concurrency} callers`) : cell('-');
}

export function headlineLoop({ loops }: CaseResult): LoopResult | undefined {
  return loops?.find(
    ({ concurrency, batch }) => concurrency === HEADLINE.concurrency && batch === HEADLINE.batch,
  );
}

function lostText(maxIdsLost: number | undefined): string {
  if (maxIdsLost === undefined) return 'no bound';
  return maxIdsLost === 0 ? 'nothing' : `up to ${count(maxIdsLost)}`;
}

function columnCell({ guarantees, idType, maxLength }: CaseResult): HeadlineCell {
  if (idType !== 'string') return cell('bigint', '8 bytes');
  if (guarantees && isUuid(guarantees.text)) return cell('uuid', '16 bytes');
  return cell('text', guarantees?.text.minLength === maxLength ? `${maxLength} long` : `up to ${maxLength}`);
}

/** As observed; the promise is noted where it is something else. */
function orderCell({ order, guarantees, alternative }: CaseResult): HeadlineCell {
  const promised = guarantees ? promisedText(guarantees.order) : '';
  if (order === undefined) return cell(promised, alternative ? '' : 'not tested here');
  const observed = observedText(order);
  return cell(observed, observed === promised ? '' : `promised: ${promised.replace('by time, ', '')}`);
}

/** `by time, within 981 ms` */
export function observedText({ observed, skewMs }: Pick<OrderResult, 'observed' | 'skewMs'>): string {
  if (observed === 'k-sorted') return `by time, within ${nanoseconds(skewMs * 1e6)}`;
  return observed === 'per process' ? 'within each process' : observed;
}

function promisedText({ process, cluster, skewMs = 0 }: PlainGuarantees['order']): string {
  const weakest = process === 'increasing' ? 'per process' : 'none';
  return observedText({ observed: cluster === 'none' ? weakest : cluster, skewMs });
}

const BACKEND = { redis: 'Redis', sql: 'a SQL database' };

function serversText(backends: PlainGuarantees['backends']): string {
  return backends.map((backend) => BACKEND[backend]).join(' and ') || 'nothing';
}

/** What you give up with a strategy, from its guarantees and the figures of this run; empty if nothing. */
export function whatItCosts(result: CaseResult): string {
  const { guarantees, maxIdsPerSecond } = result;
  if (guarantees === undefined) return '';
  const { backends, order, discloses, sync, unique } = guarantees;
  const loop = headlineLoop(result);
  return [
    backends.length > 0 && `needs ${serversText(backends)}`,
    !sync && loop && `a wait of about ${nanoseconds(loop.p50)} per id (16 callers) and no synchronous call`,
    !sync && !loop && 'no synchronous call',
    unique === 'process' && 'unique within one process only',
    orderCost(order),
    maxIdsPerSecond && `at most ${quantity(maxIdsPerSecond)} ids/s per process`,
    lossCost(guarantees),
    discloses.length > 0 && `an outsider learns ${discloses.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ');
}

/** A counter that starts anew with each process is no loss: only numbers that were set aside are. */
function lossCost({ gaps, maxIdsLost }: PlainGuarantees): string | false {
  if (gaps === 'never' || maxIdsLost === 0) return false;
  const bound = maxIdsLost === undefined ? '' : `, up to ${count(maxIdsLost)},`;
  const when = gaps === 'on-restart' ? 'a process ends' : 'something fails';
  return `numbers that were set aside${bound} are skipped when ${when}`;
}

function orderCost({ process, cluster, skewMs }: PlainGuarantees['order']): string | false {
  if (cluster === 'real-time') return false;
  if (cluster === 'k-sorted') return `no order among ids less than ${nanoseconds((skewMs ?? 0) * 1e6)} apart`;
  return process === 'increasing' ? 'no order across processes' : 'no order at all';
}

/** The column "fits" of the decision table. */
export interface FitNotes {
  /** By name: `yes`; or `no¹` or `maybe¹` with a footnote. */
  readonly cells: ReadonlyMap<string, string>;
  /**
   * `¹ order across processes: needs real-time, offers k-sorted`; strategies with the same reason share one.
   */
  readonly notes: readonly string[];
}

const DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const WHEN_OBFUSCATED =
  'when obfuscated: outsiders see its ids through @ids/encode, { as: "crockford", obfuscate: true, key }, and learn nothing from them';

/**
 * Of the strategies, and of what people already use. With several sets of needs, a cell counts how many are
 * met, and the footnotes name the others.
 */
export function fitNotes(advice: readonly Advice[], inUse: readonly CaseResult[]): FitNotes {
  const notes: string[] = [];
  const markOf = (note: string): string => {
    if (!notes.includes(note)) notes.push(note);
    return superscript(notes.indexOf(note) + 1);
  };
  const all = advice.flatMap(({ needs, fits }) =>
    [...fits, ...inUse.map((one) => fitOf(needs, one))].map((fit) => ({ name: needs.name, fit })),
  );
  const cells = [...new Set(all.map(({ fit }) => fit.strategy))].map((strategy): [string, string] => {
    const found = all.filter(({ fit }) => fit.strategy === strategy);
    const marks = found.flatMap(({ name, fit }) => {
      const note = noteOf(fit);
      return note === undefined ? [] : [markOf(name === undefined ? note : `${name}: ${note}`)];
    });
    const words = found.map(({ fit: { unmet, unproven = [] } }) => fitWord({ unmet, unproven }));
    const met = words.filter((word) => word === 'yes').length;
    const text = words.length > 1 ? `${met} of ${words.length}` : words[0];
    return [strategy, `${text}${marks.join(' ')}`];
  });
  return { cells: new Map(cells), notes: notes.map((note, i) => `${superscript(i + 1)} ${note}`) };
}

function noteOf({ unmet, unproven = [], obfuscate }: Fit): string | undefined {
  if (unmet.length > 0) return unmet.join('; ');
  if (unproven.length > 0) return unproven.map(notTested).join('; ');
  return obfuscate ? WHEN_OBFUSCATED : undefined;
}

function superscript(number: number): string {
  return String(number).replace(/\d/g, (digit) => DIGITS[Number(digit)] ?? digit);
}
