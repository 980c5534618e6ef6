import type { OrderResult } from '../experiments/order/judge.js';
import { HEADLINE } from '../experiments/profile.js';
import type { LoopResult } from '../experiments/throughput.js';
import type { Ratio } from '../measure/statistics.js';
import type { Advice, CaseResult, Fit } from '../result/types.js';
import { notTested } from './rank.js';
import { count, nanoseconds, quantity, ratioText } from './words.js';

/** The row of a strategy in the decision table. A cell that was not measured is empty. */
export interface Headline {
  readonly name: string;
  readonly idsPerSecond: string;
  readonly ratio: string;
  readonly control: string;
  /** Ids per second with each looked up in a Map. */
  readonly asMapKey: string;
  readonly p50: string;
  readonly p99: string;
  readonly order: string;
  readonly claimed: string;
  readonly duplicates: string;
  /** The most ids that are lost with a process or a store, as the strategy guarantees. */
  readonly lost: string;
  /** p99.9 of the open loop at 80 % of the capacity. */
  readonly tail: string;
  readonly id: string;
  readonly discloses: string;
}

/** In bursts for a strategy without a backend, in a closed loop of 16 callers for one with a backend. */
export function headlineOf(result: CaseResult): Headline {
  const { name, sync, guarantees, uniqueness, order, idType, maxLength } = result;
  const loop = headlineLoop(result);
  const quoted = guarantees?.backends.length === 0 ? sync : loop;
  const ratio = mainRatio(result, quoted?.ratios);
  return {
    name,
    idsPerSecond: quoted ? quantity(quoted.idsPerSecond.median) : '',
    ratio: ratio ? ratioText(ratio) : '',
    control: ratio?.control ?? '',
    asMapKey: sync ? quantity(1e9 / sync.nsAsMapKey.median) : '',
    p50: quoted ? nanoseconds(quoted.p50) : '',
    p99: quoted ? nanoseconds(quoted.p99) : '',
    order: order ? observedText(order) : '',
    claimed: guarantees ? claimedText(guarantees.order) : '',
    duplicates: uniqueness ? `${count(uniqueness.duplicates)} / ${count(uniqueness.ids)}` : '',
    lost: guarantees ? lostText(guarantees.maxIdsLost) : '',
    tail: tailText(result),
    id: idType === 'string' ? `string, up to ${maxLength}` : `${idType}, up to ${maxLength} digits`,
    discloses: guarantees?.discloses.join(', ') || 'nothing',
  };
}

export function headlineLoop({ loops }: CaseResult): LoopResult | undefined {
  return loops?.find(
    ({ concurrency, batch }) => concurrency === HEADLINE.concurrency && batch === HEADLINE.batch,
  );
}

/** The first control, or the next one that has figures. */
function mainRatio({ comparedWith }: CaseResult, ratios: readonly Ratio[] = []): Ratio | undefined {
  return comparedWith.flatMap((name) => ratios.filter(({ control }) => control === name))[0];
}

function lostText(maxIdsLost: number | undefined): string {
  if (maxIdsLost === undefined) return 'no bound';
  return maxIdsLost === 0 ? '0' : `≤ ${count(maxIdsLost)}`;
}

function tailText({ openLoops = [] }: CaseResult): string {
  const latency = openLoops.find(({ share }) => share === 0.8)?.latency.at(-1);
  return latency == null ? '-' : nanoseconds(latency);
}

export function observedText({ observed, skewMs, positions }: OrderResult): string {
  if (observed !== 'k-sorted') return observed;
  return `k-sorted: ${nanoseconds(skewMs * 1e6)}, ${count(positions)} places`;
}

function claimedText({ process, cluster, skewMs }: NonNullable<CaseResult['guarantees']>['order']): string {
  if (cluster === 'real-time') return 'real-time';
  const within = process === 'increasing' ? 'per process' : 'none';
  return cluster === 'k-sorted' ? `k-sorted: ${nanoseconds((skewMs ?? 0) * 1e6)}` : within;
}

const BACKEND = { redis: 'Redis', sql: 'a SQL database' };

/** What you give up with this strategy, in a sentence, from its guarantees and the figures of this run. */
export function whatItCosts(result: CaseResult): string {
  const { name, guarantees, status, reason, maxIdsPerSecond } = result;
  if (status === 'skipped') return `${name}: skipped, because ${reason}`;
  if (status === 'failed' || status === 'invalid') return `${name}: ${status}, see below.`;
  if (guarantees === undefined) return '';
  const { backends, order, gaps, discloses, sync, unique } = guarantees;
  const loop = headlineLoop(result);
  const costs = [
    backends.length > 0 && `needs ${backends.map((backend) => BACKEND[backend]).join(' and ')}`,
    !sync && loop && `a wait of about ${nanoseconds(loop.p50)} per id (16 callers) and no synchronous call`,
    !sync && !loop && 'no synchronous call',
    unique === 'process' && 'unique within one process only',
    orderCost(order),
    maxIdsPerSecond && `at most ${quantity(maxIdsPerSecond)} ids/s per process`,
    gaps !== 'never' && `numbers are skipped ${gaps.replace('-', ' a ').replace('on a', 'after a')}`,
    discloses.length > 0 && `an outsider learns ${discloses.join(', ')}`,
  ].filter((cost) => typeof cost === 'string');
  return `${name}: ${costs.join('; ')}.`;
}

function orderCost({
  process,
  cluster,
  skewMs,
}: NonNullable<CaseResult['guarantees']>['order']): string | false {
  if (cluster === 'real-time') return false;
  if (cluster === 'k-sorted') return `no order among ids less than ${nanoseconds((skewMs ?? 0) * 1e6)} apart`;
  return process === 'increasing' ? 'no order across processes' : 'no order at all';
}

/** The column "fits" of the decision table. */
export interface FitNotes {
  /** By strategy: `yes`, or `no¹` with a footnote. */
  readonly cells: ReadonlyMap<string, string>;
  /**
   * `¹ order across processes: needs real-time, offers k-sorted`; strategies with the same reason share one.
   */
  readonly notes: readonly string[];
}

const DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const WHEN_OBFUSCATED =
  'when obfuscated: outsiders see its ids through @ids/encode, { as: "crockford", obfuscate: true, key }, and learn nothing from them';

/** With several sets of needs, a cell counts how many are met, and the footnotes name the others. */
export function fitNotes(advice: readonly Advice[]): FitNotes {
  const notes: string[] = [];
  const markOf = (note: string): string => {
    if (!notes.includes(note)) notes.push(note);
    return superscript(notes.indexOf(note) + 1);
  };
  const strategies = new Set(advice.flatMap(({ fits }) => fits.map(({ strategy }) => strategy)));
  const cells = [...strategies].map((strategy): [string, string] => {
    const found = advice.flatMap(({ needs, fits }) =>
      fits.filter((fit) => fit.strategy === strategy).map((fit) => ({ name: needs.name, fit })),
    );
    const marks = found.flatMap(({ name, fit }) => {
      const note = noteOf(fit);
      return note === undefined ? [] : [markOf(name === undefined ? note : `${name}: ${note}`)];
    });
    const met = found.filter(({ fit }) => fit.unmet.length === 0).length;
    const text = found.length > 1 ? `${met} of ${found.length}` : met === 1 ? 'yes' : 'no';
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
