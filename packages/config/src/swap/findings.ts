import type { Guarantees } from '@ids/core';
import { greatestIn, isNumberColumn } from './column-findings.js';
import {
  CHECK_DIGIT,
  type ColumnFacts,
  greatestOf,
  isNumeric,
  leastNumbers,
  type SwapFinding,
  type SwapOptions,
  type SwapSide,
  spellingOf,
} from './facts.js';

/**
 * The way a swap can be done:
 * - `free`: old and new processes can run side by side.
 * - `room`: the same, above a floor that leaves room for the old ones.
 * - `stop`: the old ones must be stopped, and then a new plan is needed.
 * - `stopped`: they have been stopped, and the new ones can start, above the floor if there is one.
 * - `wait`: the same, after `ms` milliseconds.
 * - `never`: no safe way is known.
 */
export interface SwapRange {
  readonly finding: SwapFinding;
  readonly mode: 'free' | 'room' | 'stop' | 'stopped' | 'wait' | 'never';
  readonly floor?: bigint;
  readonly ms?: number;
}

/** More than two hours of a generator that issues 100,000 ids a second. */
const ROOM = 10n ** 9n;

/**
 * Whether new ids can equal old ones, including those that old processes issue while new ones run, and above
 * which number a sequence must start to prevent that.
 */
export function rangeOf(
  from: SwapSide,
  to: SwapSide,
  column: ColumnFacts | undefined,
  options: SwapOptions,
): SwapRange {
  const [old, young] = [from.guarantees, to.guarantees];
  const oneForm = old.text.pattern.source === young.text.pattern.source;
  if (isRespelled(from, to)) return respelled(from, to, oneForm, column);
  const asNumbers = isCounted(old) && isCounted(young);
  if ((oneForm || asNumbers) && to.sequence !== undefined && to.sequence === from.sequence) {
    return oneSequence(from, to, options);
  }
  if (oneForm && areOtherWorkers(from, to)) {
    const [before, after] = [from, to].map(({ worker }) => `worker ${worker?.number}`);
    const advice = 'two workers of one layout and epoch never issue the same id';
    return found('free', 'same', before ?? '', after ?? '', advice);
  }
  const counted = isNumeric(young) || to.sequence !== undefined;
  if (counted && (oneForm || asNumbers || column?.maxId !== undefined)) {
    return countedRange(from, to, column, options);
  }
  return forms(from, to, oneForm);
}

/** A row issues each number only once, whoever asks. */
function oneSequence(from: SwapSide, to: SwapSide, { stopped = false }: SwapOptions): SwapRange {
  const one = 'the same sequence';
  if (spellingOf(from) === spellingOf(to))
    return found('free', 'same', one, one, 'it continues after its last id');
  // A check digit is appended, so a new id has as many digits as an old one ten times as great.
  if (stopped)
    return found('stopped', 'same', one, one, 'it continues after its last id, with a check digit');
  const advice = `old ids without the check digit may become equal to new ones with it: ${STOP} first`;
  return found('stop', 'danger', one, one, advice);
}

/**
 * Whether a number may now be written as another number was before. If only a check digit is added, it is
 * appended to the digits, so greater numbers stay above.
 */
function isRespelled(from: SwapSide, to: SwapSide): boolean {
  const [before, after] = [spellingOf(from), spellingOf(to)];
  return before !== after && !(before === undefined && after === CHECK_DIGIT);
}

/** If numbers are written in two ways, no floor keeps the ids apart. */
function respelled(
  from: SwapSide,
  to: SwapSide,
  oneForm: boolean,
  column: ColumnFacts | undefined,
): SwapRange {
  const [old, young] = [from.guarantees, to.guarantees];
  const asNumbers = isNumeric(old) && isNumeric(young);
  const meet = column !== undefined && isNumberColumn(column) ? asNumbers : !areApart(old.text, young.text);
  if (!oneForm && !(asNumbers && meet)) return forms(from, to, oneForm);
  const advice =
    'with another key or check digit, the same digits may stand for another number, so a new id may equal an old one: ' +
    'keep "encode" as it was, or give the new ids a prefix or a column of their own';
  return found('never', 'danger', String(old.text.pattern), String(young.text.pattern), advice);
}

/**
 * Both sides count: the new one must start above everything that the old one has issued and will issue while
 * it runs.
 */
function countedRange(
  from: SwapSide,
  to: SwapSide,
  column: ColumnFacts | undefined,
  { stopped = false, room = ROOM }: SwapOptions,
): SwapRange {
  const highest = [from.reserved, from.known, to.known, column?.maxId].reduce(greater, undefined);
  const start = to.clockAt ?? to.reserved;
  const before = highest === undefined ? 'not known' : `up to ${highest}`;
  const after = start === undefined ? 'not known' : `from ${start + 1n}`;
  const as = (mode: SwapRange['mode'], verdict: SwapFinding['verdict'], advice: string): SwapRange =>
    found(mode, verdict, before, after, advice);
  if (highest === undefined) {
    const advice =
      'name the column of the old ids (--column table.column) to learn where the new ones must start';
    return as('never', 'danger', advice);
  }
  const alive = !stopped && mayIssueNumbers(from);
  if (to.clockAt !== undefined) {
    const reach = alive ? (from.clockInAMonth ?? highest + room) : highest;
    return aboveByClock(from, { highest, reach, clockAt: to.clockAt, alive, stopped }, as);
  }
  const last = greatestOf(to.guarantees);
  if (highest >= last) {
    const advice = `the new sequence ends at ${last}, so none of its ids would be above the old ones: keep the old strategy, or give the new ids a column of their own`;
    return as('never', 'danger', advice);
  }
  if (!alive) {
    const mode = stopped ? 'stopped' : 'free';
    if (start !== undefined && start >= highest)
      return as(mode, 'same', 'the new sequence is above all old ids');
    return { ...as(mode, 'danger', raiseTo(highest)), floor: highest };
  }
  if (from.clockAt !== undefined || from.reserved === undefined || start === undefined)
    return as('stop', 'danger', `it is unknown how far the old ids will go: ${STOP} first`);
  if (start > highest) {
    const advice = `the old sequence may reach ids that the new one has issued: ${STOP} first, unless you raised the new one by an earlier plan; then continue with that plan`;
    return as('stop', 'danger', advice);
  }
  const floor = highest + room + (from.leap ?? 0n);
  const ends = [leastNumbers(to.guarantees), column && greatestIn(column)];
  if (ends.some((end) => end !== undefined && floor + room > end))
    return as('stop', 'danger', `there is no room for ids of both at once: ${STOP} first`);
  return { ...as('room', 'danger', raiseTo(floor)), floor };
}

function raiseTo(floor: bigint): string {
  return `raise the new sequence to ${floor} first: npx --no -- ids floor <generator> ${floor}, or setFloor`;
}

const STOP = 'stop all processes of the old generator';

/** Whether a process of the old generator can issue ids that are, or look like, numbers of a sequence. */
function mayIssueNumbers({ guarantees, sequence, worker }: SwapSide): boolean {
  return isNumeric(guarantees) || sequence !== undefined || worker !== undefined;
}

/** Two workers of one layout. Does not apply to obfuscated ids, which do not show their worker. */
function areOtherWorkers(from: SwapSide, to: SwapSide): boolean {
  if (from.worker === undefined || to.worker === undefined) return false;
  if ([from, to].some(({ guarantees }) => guarantees.order.process === 'none')) return false;
  return from.worker.layout === to.worker.layout && from.worker.number !== to.worker.number;
}

const OTHER_LAYOUT = 'choose a layout with more bits or an earlier epoch';

interface ClockRange {
  readonly highest: bigint;
  /** How far the old ids may go while both run. */
  readonly reach: bigint;
  readonly clockAt: bigint;
  readonly alive: boolean;
  readonly stopped: boolean;
}

/** For new ids that contain the time, and so cannot be raised. */
function aboveByClock(
  from: SwapSide,
  { highest, reach, clockAt, alive, stopped }: ClockRange,
  as: (mode: SwapRange['mode'], verdict: SwapFinding['verdict'], advice: string) => SwapRange,
): SwapRange {
  if (reach <= clockAt) {
    const advice = 'the new ids are above all old ids, and increase with the clock';
    return as(stopped ? 'stopped' : 'free', 'same', advice);
  }
  const until = `ids may repeat until the clock moves the new ones above ${highest}`;
  if (alive) {
    const advice = highest <= clockAt ? 'the old ids may reach the new ones' : until;
    return as('stop', 'danger', `${advice}: ${STOP} first`);
  }
  if (from.worker === undefined) {
    // Reserved time ends within three seconds after the last process.
    const advice = `${until}: run this again after three seconds, and if it says the same, ${OTHER_LAYOUT}`;
    return { ...as('wait', 'danger', advice), ms: 3_000 };
  }
  // What is reserved for a fixed worker is always ahead of the clock, so checking again would not help. It is
  // enough to wait as long as it is ahead, if the new ids are not behind the old ones of the same moment. A
  // quarter of that time is allowed for the clock difference of two machines.
  const { reserved = 0n, clockAt: oldClockAt = 0n } = from;
  const clocksApart = (reserved - oldClockAt) / 4n;
  if (highest > reserved || oldClockAt - clocksApart > clockAt)
    return as('never', 'danger', `${until}: ${OTHER_LAYOUT}`);
  const { aheadMs } = from.worker;
  const advice = `${until}: wait ${aheadMs / 1_000} s, then start the new ones`;
  return { ...as('wait', 'danger', advice), ms: aheadMs };
}

function greater(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

function forms(from: SwapSide, to: SwapSide, oneForm: boolean): SwapRange {
  const [old, young] = [from.guarantees, to.guarantees];
  const texts = [String(old.text.pattern), String(young.text.pattern)] as const;
  if (!oneForm && areApart(old.text, young.text))
    return found('free', 'same', ...texts, 'no id of one has the form of the other');
  // A counting generator reaches ids of the other form sooner or later.
  const counts = [from, to].some(({ sequence, worker }) => sequence !== undefined || worker !== undefined);
  const mayMeet = 'an id of one may have the form of the other: give the new ones a prefix';
  if (counts) return found('never', 'danger', ...texts, mayMeet);
  const ifUnique =
    'both have the same form: their ids differ only if both are unique among all processes, and have the same key if obfuscated';
  return found('free', 'change', ...texts, oneForm ? ifUnique : mayMeet);
}

/** Whether no string can be an id of both: because of its length, or of its character at some position. */
function areApart(a: Guarantees['text'], b: Guarantees['text']): boolean {
  const [shortestOfA, shortestOfB] = [shortest(a), shortest(b)];
  if (a.maxLength < shortestOfB || b.maxLength < shortestOfA) return true;
  for (let at = 0; at < Math.min(shortestOfA, shortestOfB); at++) {
    const [ofA, ofB] = [charactersAt(a, at), charactersAt(b, at)];
    if (ofA !== undefined && ofB !== undefined && ![...ofA].some((one) => ofB.includes(one))) return true;
  }
  return false;
}

function shortest({ prefix = '', minLength = 0 }: Guarantees['text']): number {
  return Math.max(prefix.length, minLength);
}

/** The characters that ids can have at a position; undefined if any. */
function charactersAt({ prefix = '', alphabet }: Guarantees['text'], at: number): string | undefined {
  return prefix[at] ?? alphabet;
}

function found(
  mode: SwapRange['mode'],
  verdict: SwapFinding['verdict'],
  from: string,
  to: string,
  advice: string,
): SwapRange {
  return { finding: { about: 'overlap', verdict, from, to, advice }, mode };
}

/** Whether ids are increasing numbers, so that those above all old ones are new. Obfuscated ones are not. */
function isCounted(guarantees: Guarantees): boolean {
  return isNumeric(guarantees) && guarantees.order.process !== 'none';
}
