import { type Guarantees, isDecimal, isUuid } from '@ids/core';

/** One of the two generators between which a service swaps. */
export interface SwapSide {
  readonly guarantees: Guarantees;
  /**
   * What names the sequence it takes ids from, such as database, table and row;
   * undefined where there is none.
   */
  readonly sequence?: string | undefined;
  /** The last id reserved in that sequence by anybody, when it could be asked. */
  readonly reserved?: bigint | undefined;
  /**
   * For ids that contain the time of their issue: all that are issued from now on are above this one. Only
   * the clock raises it.
   */
  readonly clockAt?: bigint | undefined;
  /** For snowflakes of a fixed worker, which no table knows: `reserved` is an estimate for this moment. */
  readonly worker?: FixedWorker | undefined;
  /** What has to be made before it can give ids, such as `table id_segment`; undefined when all is there. */
  readonly missing?: string | undefined;
}

/** A part of the snowflakes of one layout and epoch. */
interface FixedWorker {
  readonly number: number;
  /** The layout and the epoch as a text: those of two workers with an equal one never give the same id. */
  readonly layout: string;
  /** How far its ids may be ahead of the clock, in milliseconds. */
  readonly aheadMs: number;
}

/** The column that holds the ids given so far, as the database describes it. */
export interface ColumnFacts {
  /** `orders.id` */
  readonly name: string;
  /** The SQL type, such as `bigint`, `integer`, `text`, `character varying`. */
  readonly type: string;
  /** The most characters it holds; undefined for no limit. */
  readonly maxLength?: number | undefined;
  /** Whether it takes `a` and `A` for the same. */
  readonly ignoresCase: boolean;
  /** The greatest number in it; undefined when it is empty, or holds no numbers. */
  readonly maxId?: bigint | undefined;
}

export interface SwapFinding {
  /**
   * What it is about: `type`, `width`, `order`, `unique`, `case`, `sync`, `backends`, `discloses`, `gaps`,
   * `overlap`, `sequence`, `column`, `collation`.
   */
  readonly about: string;
  /**
   * `same`: nothing to do. `change`: look at the code that depends on it. `danger`: ids may repeat or be
   * refused, or a promise is lost.
   */
  readonly verdict: 'same' | 'change' | 'danger';
  readonly from: string;
  readonly to: string;
  /** What to do, or what follows. */
  readonly advice?: string;
}

export interface SwapPlan {
  readonly findings: readonly SwapFinding[];
  /**
   * The id above which the new sequence must start (`setFloor`, or `startAfter` of `createSequence`);
   * undefined where none is needed.
   */
  readonly floor: bigint | undefined;
}

/** The greatest number that each type of whole numbers holds. */
const WHOLE: Readonly<Record<string, bigint>> = {
  smallint: 2n ** 15n - 1n,
  integer: 2n ** 31n - 1n,
  bigint: 2n ** 63n - 1n,
  numeric: 10n ** 100n,
  // They hold greater numbers, but not each whole number.
  real: 2n ** 24n,
  'double precision': 2n ** 53n,
};

/** Whether the column can hold ids with these guarantees and keep them apart. */
export function columnFindings(guarantees: Guarantees, column: ColumnFacts): SwapFinding[] {
  const { idType, text } = guarantees;
  const { name, type, maxLength } = column;
  const limit = maxLength === undefined ? '' : `(${maxLength})`;
  const to = `${idType}, up to ${text.maxLength} characters`;
  const about = (verdict: SwapFinding['verdict'], advice: string): SwapFinding => {
    return { about: 'column', verdict, from: `${name} ${type}${limit}`, to, advice };
  };
  const findings: SwapFinding[] = [];
  const most = WHOLE[type];
  const digitsOnly = isNumeric(guarantees);
  if (most !== undefined && !digitsOnly)
    findings.push(about('danger', `a column of type ${type} cannot hold strings: change its type`));
  else if (type === 'uuid' && !isUuid(text))
    findings.push(about('danger', 'a column of type uuid holds UUIDs only: change its type'));
  else if (most !== undefined && most < greatestOf(guarantees)) {
    findings.push(
      about('danger', `it ends at ${most}, the ids at ${greatestOf(guarantees)}: make it bigint`),
    );
  } else if (most === undefined && maxLength !== undefined && maxLength < text.maxLength) {
    findings.push(about('danger', `it holds ${maxLength} characters, the ids have up to ${text.maxLength}`));
  } else findings.push(about('same', 'it holds the new ids'));
  findings.push(...collationFindings(text, column));
  return findings;
}

/** Ids that mix cases lose their uniqueness where case is ignored. */
function collationFindings(
  { caseSensitive = false }: Guarantees['text'],
  { name, ignoresCase }: ColumnFacts,
): SwapFinding[] {
  const from = `${name} ${ignoresCase ? 'ignores' : 'distinguishes'} case`;
  const to = caseSensitive ? 'upper and lower case mixed' : 'one case';
  if (!ignoresCase || !caseSensitive) return [{ about: 'collation', verdict: 'same', from, to }];
  const advice =
    'this column would treat two ids as equal: give it a collation that distinguishes case, or encode as crockford or hex';
  return [{ about: 'collation', verdict: 'danger', from, to, advice }];
}

/**
 * Whether new ids can be equal to old ones, and above which number a sequence must
 * start so that they are not.
 */
export function rangeFindings(from: SwapSide, to: SwapSide, column: ColumnFacts | undefined): SwapPlan {
  const [old, young] = [from.guarantees, to.guarantees];
  const oneForm = old.text.pattern.source === young.text.pattern.source;
  if (oneForm && to.sequence !== undefined && to.sequence === from.sequence) {
    return found('same', 'the same sequence', 'the same sequence', 'it continues after its last id');
  }
  if (oneForm && areOtherWorkers(from, to)) {
    const [before, after] = [from, to].map(({ worker }) => `worker ${worker?.number}`);
    return found(
      'same',
      before ?? '',
      after ?? '',
      'two workers of one layout and epoch never give the same id',
    );
  }
  const counted = isNumeric(young) || to.sequence !== undefined;
  if (counted && (oneForm || (isCounted(old) && isCounted(young)) || column?.maxId !== undefined)) {
    return countedRange(from, to, column?.maxId);
  }
  return forms(old, young, oneForm);
}

/** Both count: the new one must start above all that the old one gave. */
function countedRange(from: SwapSide, to: SwapSide, inColumn: bigint | undefined): SwapPlan {
  const highest = greater(from.reserved, inColumn);
  const start = to.clockAt ?? to.reserved;
  const before = highest === undefined ? 'not known' : `up to ${highest}`;
  const after = start === undefined ? 'not known' : `from ${start + 1n}`;
  if (highest === undefined) {
    const advice =
      'name the column of the old ids (--column table.column) to learn where the new ones must start';
    return found('danger', before, after, advice);
  }
  if (to.clockAt !== undefined) {
    const advice = from.worker && afterWorker(from, from.worker, highest, to.clockAt);
    return found(...aboveByClock(highest, to.clockAt, before, after, advice));
  }
  const last = greatestOf(to.guarantees);
  if (highest >= last) {
    const advice = `the new sequence ends at ${last}, so none of its ids would be above the old ones: keep the old strategy, or give the new ids a column of their own`;
    return found('danger', before, after, advice);
  }
  const moving = from.clockAt !== undefined;
  const stop = from.worker === undefined ? `${STOP}, run this again` : `${STOP}, run this once more`;
  if (start !== undefined && start >= highest) {
    const advice = 'the new sequence is above all old ids';
    return moving
      ? found('change', before, after, `${advice}; ${stop}`)
      : found('same', before, after, advice);
  }
  const advice = `raise the new sequence to ${highest} first: npx --no ids floor <generator> ${highest}, or setFloor`;
  return found('danger', before, after, moving ? `${stop}, and ${advice}` : advice, highest);
}

/**
 * Ids of a process that still runs rise with the clock, far faster than a sequence. What is reserved for a
 * fixed worker rises even after its processes have ended, so one look after that has to be the last.
 */
const STOP = 'stop all processes of the old generator';

/** Obfuscated ids are not told apart by their worker. */
function areOtherWorkers(from: SwapSide, to: SwapSide): boolean {
  if (from.worker === undefined || to.worker === undefined) return false;
  if ([from, to].some(({ guarantees }) => guarantees.order.process === 'none')) return false;
  return from.worker.layout === to.worker.layout && from.worker.number !== to.worker.number;
}

/**
 * What to do after a fixed worker: what is reserved is always ahead of the clock, so a second look would
 * find the same. To wait as long as it is ahead is enough, if the new ids are not behind the old ones of the
 * same moment. A quarter of that time is for the clocks of two machines, which may differ.
 */
function afterWorker(
  { reserved = 0n, clockAt = 0n }: SwapSide,
  { aheadMs }: FixedWorker,
  highest: bigint,
  newClockAt: bigint,
): string {
  const clocksApart = (reserved - clockAt) / 4n;
  if (highest > reserved || clockAt - clocksApart > newClockAt) return OTHER_LAYOUT;
  return `${STOP}, wait ${aheadMs / 1_000} s, then start the new ones`;
}

const OTHER_LAYOUT = 'choose a layout with more bits or an earlier epoch';
/** What is reserved ends within three seconds after the last process did. */
const LOOK_AGAIN = `${STOP}, run this again after three seconds, and if it says the same, ${OTHER_LAYOUT}`;

/** Ids that contain the time cannot be raised. */
function aboveByClock(
  highest: bigint,
  clockAt: bigint,
  before: string,
  after: string,
  remedy = LOOK_AGAIN,
): Parameters<typeof found> {
  if (highest <= clockAt) {
    return ['same', before, after, 'the new ids are above all old ids, and rise with the clock'];
  }
  const advice = `ids may repeat until the clock takes the new ones above ${highest}: ${remedy}`;
  return ['danger', before, after, advice];
}

function greater(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

function forms(old: Guarantees, young: Guarantees, oneForm: boolean): SwapPlan {
  const [from, to] = [String(old.text.pattern), String(young.text.pattern)];
  if (oneForm) {
    const advice =
      'both have the same form: their ids differ only if both are unique among all processes, and have the same key if obfuscated';
    return found('change', from, to, advice);
  }
  if (areApart(old.text, young.text))
    return found('same', from, to, 'no id of one has the form of the other');
  const advice = 'an id of one may have the form of the other: give the new ones a prefix';
  return found('change', from, to, advice);
}

/** Whether no string can be an id of both: by its length, or by its character at some place. */
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

/** Those that ids may have at a place; undefined where any may be there. */
function charactersAt({ prefix = '', alphabet }: Guarantees['text'], at: number): string | undefined {
  return prefix[at] ?? alphabet;
}

function found(
  verdict: SwapFinding['verdict'],
  from: string,
  to: string,
  advice: string,
  floor?: bigint,
): SwapPlan {
  return { findings: [{ about: 'overlap', verdict, from, to, advice }], floor };
}

/** Numbers that increase: those above all old ones are new. Obfuscated ones do not. */
function isCounted(guarantees: Guarantees): boolean {
  return isNumeric(guarantees) && guarantees.order.process !== 'none';
}

/** The greatest number that ids with as many digits can be. */
function greatestOf({ text }: Guarantees): bigint {
  return text.maxLength > String(Number.MAX_SAFE_INTEGER).length
    ? 2n ** 63n - 1n
    : BigInt(Number.MAX_SAFE_INTEGER);
}

/** Numbers, or strings of decimal digits, from a sequence. */
function isNumeric({ idType, text }: Guarantees): boolean {
  return idType !== 'string' || isDecimal(text);
}
