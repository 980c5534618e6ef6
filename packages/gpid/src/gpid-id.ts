import { shownValue } from '@ids/core';
import { type Gpid, parseGpid } from './gpid.js';

/** What an id of this strategy says. */
export interface GpidId {
  /** The process that gave it. */
  readonly gpid: Gpid;
  /** The thread of the process: 0 for the main one, else the `threadId` of a worker thread. */
  readonly thread: number;
  /** Its place among the ids of that thread, 1 .. 2^53 - 1. */
  readonly sequence: number;
}

const SHAPE = /^([^/]*)\/(?:([1-9]\d{0,15})-)?([1-9]\d{0,15})$/;

/**
 * All that stands before the sequence. Worker threads have the gpid of their process, so theirs goes with the thread; Node gives
 * no `threadId` twice in one process.
 */
export function idPrefix(gpid: string, thread: number): string {
  return thread === 0 ? `${gpid}/` : `${gpid}/${thread}-`;
}

/**
 * The parts of an id such as `10.0.0.7:8888:1307761900123456:4711/42`, or `.../3-42` when worker thread 3 gave it. Throws a
 * `SyntaxError` that names the part at fault.
 */
export function parseGpidId(text: string): GpidId {
  const [, gpid, threadText, sequenceText] = SHAPE.exec(text) ?? [];
  const [thread, sequence] = [Number(threadText ?? 0), Number(sequenceText)];
  if (gpid === undefined || !Number.isSafeInteger(thread) || !Number.isSafeInteger(sequence)) {
    throw new SyntaxError(
      `gpid id ${shownValue(text)}: a sequence from 1 to ${Number.MAX_SAFE_INTEGER} must follow the gpid, as in ` +
        '<gpid>/42, or <gpid>/3-42 for worker thread 3',
    );
  }
  return { gpid: parseGpid(gpid), thread, sequence };
}

/**
 * Negative when `a` comes before `b`, 0 for the same id: for sorting. Ids of one thread of one process stand in the order in
 * which they were given, which their texts do not (`.../9` before `.../10`). Ids of different threads or processes stand in no
 * order of time; they are kept together by thread. Throws a `SyntaxError` for a text that is no id of this strategy.
 */
export function compareGpidIds(a: string, b: string): number {
  const [{ sequence: sequenceA }, { sequence: sequenceB }] = [parseGpidId(a), parseGpidId(b)];
  const [prefixA, prefixB] = [prefixOf(a, sequenceA), prefixOf(b, sequenceB)];
  if (prefixA !== prefixB) return prefixA < prefixB ? -1 : 1;
  return sequenceA - sequenceB;
}

function prefixOf(id: string, sequence: number): string {
  return id.slice(0, -String(sequence).length);
}
