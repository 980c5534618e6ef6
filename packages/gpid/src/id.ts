import { IdError, type IdPart } from '@ids/core';
import { flatText, formatValue } from '@ids/core/strategy';
import { Gpid, inOrder, startedText } from './process/gpid.js';
import { type Sequence, threadState } from './process/process-start.js';

/** The parts of an id of this strategy. */
export interface ParsedGpidId {
  /** The process that issued it, with only `thread` and `run` of its evidence. */
  readonly gpid: Gpid;
  /** Its number among the ids of that thread, 1 .. 2^53 - 1. */
  readonly sequence: number;
}

/** No sign, no leading zero. */
const SEQUENCE = /^[1-9]\d{0,15}$/;

/** The process and thread of an id, without the run. */
function idProcess({ fourTuple, evidence: { thread } }: Gpid): string {
  return thread === undefined ? fourTuple : `${fourTuple};thread=${thread}`;
}

/**
 * Parses an id such as `10.0.0.7:8888:1307761900123456:4711;run=8f14e45fceea167a/42`. The gpid may have more
 * evidence, or none. Throws a `SyntaxError` that names the invalid part.
 */
export function parseGpidId(text: string): ParsedGpidId {
  const slash = typeof text === 'string' ? text.lastIndexOf('/') : -1;
  const digits = slash < 0 ? '' : text.slice(slash + 1);
  const sequence = SEQUENCE.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isSafeInteger(sequence)) {
    throw new SyntaxError(
      `gpid id ${formatValue(text)}: a sequence from 1 to ${Number.MAX_SAFE_INTEGER} must follow the gpid, as in <gpid>/42`,
    );
  }
  return { gpid: Gpid.parse(text.slice(0, slash)), sequence };
}

/**
 * Compares two ids, for sorting: negative if `a` comes before `b`, 0 if they are the same id. Ids of one
 * thread of one process sort in order of issue, unlike their strings (`.../9` comes after `.../10`). Ids of
 * different threads or processes have no order in time; those of one thread stay together. Throws a
 * `SyntaxError` if a string is not an id of this strategy.
 */
export function compareGpidIds(a: string, b: string): number {
  const [idA, idB] = [parseGpidId(a), parseGpidId(b)];
  return inOrder(idProcess(idA.gpid), idProcess(idB.gpid)) || idA.sequence - idB.sequence || inOrder(a, b);
}

/** What an id reveals, for display. Returns `undefined` if this strategy cannot have issued it. */
export function inspectGpidId(text: string): readonly IdPart[] | undefined {
  let id: ParsedGpidId;
  try {
    id = parseGpidId(text);
  } catch {
    return undefined;
  }
  const { gpid, sequence } = id;
  const { thread, run, ...others } = gpid.evidence;
  if (run === undefined || Object.keys(others).length > 0) return undefined;
  return [
    { name: 'endpoint', value: gpid.endpoint, ...(gpid.port === 0 && { note: 'listens on no port' }) },
    { name: 'time', value: startedText(gpid), note: 'start of the process' },
    { name: 'process', value: String(gpid.pid), note: gpid.procPath },
    ...(thread === undefined ? [] : [{ name: 'thread', value: String(thread), note: 'worker thread' }]),
    { name: 'run', value: run, note: 'random, one per incarnation' },
    { name: 'sequence', value: String(sequence), note: 'number of the id in its thread' },
  ];
}

/** The sequence of `gpid`'s process in this thread. There is only one. */
export function sequenceOf(gpid: Gpid): Sequence {
  const { sequences } = threadState();
  const process = idProcess(gpid);
  const sequence = sequences.get(process) ?? { prefix: `${process};run=${gpid.evidence.run}/`, last: 0 };
  sequences.set(process, sequence);
  return sequence;
}

/**
 * Issues ids, `prefix + number`, from the sequence that `cell` currently holds. Other issuers may share it.
 */
export function sequenceIssuer(cell: { readonly sequence: Sequence }) {
  const text = new NumberedText();
  return {
    issue(): string {
      const { sequence } = cell;
      if (sequence.last >= Number.MAX_SAFE_INTEGER) throw exhausted(sequence);
      sequence.last += 1;
      return text.of(sequence.prefix, sequence.last);
    },
    /** Issues exactly `count` ids, or throws and uses none. */
    issueBatch(count: number): string[] {
      const { sequence } = cell;
      const { prefix, last: before } = sequence;
      if (count > Number.MAX_SAFE_INTEGER - before) throw exhausted(sequence);
      sequence.last = before + count;
      const ids = new Array<string>(count);
      for (let index = 0; index < count; index++) ids[index] = text.of(prefix, before + index + 1);
      return ids;
    },
  };
}

function exhausted({ prefix }: Sequence): IdError {
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `gpid: the ids with prefix ${prefix} end at ${Number.MAX_SAFE_INTEGER}; a restarted process starts at 1 with a new prefix`,
  );
}

/** The numbers of one block differ only in their last three digits. */
const BLOCK = 1_000;

let lastDigits: readonly string[] | undefined;

/**
 * Builds `prefix + number` for mostly consecutive numbers. Everything except the last three digits is kept as
 * one flat string: concatenating and hashing two parts per id takes two thirds of the time it takes with
 * prefix and number.
 */
export class NumberedText {
  #prefix: string | undefined;
  #blockStart = 0;
  #head = '';
  #digits: readonly string[] = [];

  /** `number` must be whole, 1 to 2^53 - 1. */
  of(prefix: string, number: number): string {
    const last = number % BLOCK;
    if (number - last !== this.#blockStart || prefix !== this.#prefix) this.#begin(prefix, number - last);
    return number < BLOCK ? prefix + number : this.#head + this.#digits[last];
  }

  #begin(prefix: string, blockStart: number): void {
    lastDigits ??= Array.from({ length: BLOCK }, (_, digits) => String(digits).padStart(3, '0'));
    this.#digits = lastDigits;
    this.#prefix = prefix;
    this.#blockStart = blockStart;
    this.#head = flatText(prefix + blockStart / BLOCK);
  }
}
