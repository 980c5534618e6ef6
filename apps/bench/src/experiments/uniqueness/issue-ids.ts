import { appendFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { IdFormat, Subject } from '../../cases/case.js';
import { takeSync } from '../../measure/take.js';
import { assertFormat, assertType, InvalidOutput } from '../../measure/validate.js';
import { caseJob } from '../../worker/job.js';
import { INDEXES } from './find-duplicates.js';

interface IssueRequest {
  /** Ids to issue; at most 2^32. */
  readonly count: number;
  /** A new file for the ids. */
  readonly path: string;
  /** The number of this process, from 0. */
  readonly process: number;
}

const BATCH = 1_000;
const ROUNDS_PER_VALIDATION = 10;
const ROUNDS_PER_TURN = 10;
/** From this share of the ids on, a process without a leak holds no more than before. */
const SETTLED_SHARE = 0.25;
/** Of ids that are written together; more than any line has. */
const BUFFER_BYTES = 256 * 2 ** 10;
/** How often the memory in use is counted. */
const HELD_COUNTS = 3;
/** Concurrent calls of `next`, for strategies without `nextSync`. */
const CALLERS = 100;

/**
 * Issues ids as fast as the subject can, half of them one by one and half in batches (fewer one by one if
 * each is a round trip), and records each. Every tenth round is checked against the whole format, and every
 * id against its type. Resolves with how many more bytes the process holds at the end than after a quarter of
 * the ids.
 */
export async function issueIds(
  subject: Subject,
  format: IdFormat,
  { count, path, process }: IssueRequest,
): Promise<number> {
  const buffer = Buffer.alloc(BUFFER_BYTES);
  let filled = 0;
  let issued = 0;
  let heldBefore: number | undefined;
  for (let round = 0; issued < count; round++) {
    if (heldBefore === undefined && issued >= count * SETTLED_SHARE) heldBefore = await heldBytes();
    const wanted = Math.min(BATCH, count - issued);
    const ids = await take(subject, round, wanted);
    if (ids?.length !== wanted) throw new InvalidOutput(`asked for ${wanted} ids, got ${ids?.length}`);
    if (round % ROUNDS_PER_VALIDATION === 0) assertFormat(ids, format);
    for (const id of ids) {
      assertType(id, format);
      const line = `${asWritten(id)}\t${String(process * INDEXES + issued++).padStart(12, '0')}\n`;
      if (filled + line.length > BUFFER_BYTES) {
        appendFileSync(path, buffer.subarray(0, filled));
        filled = 0;
      }
      filled += buffer.write(line, filled, 'latin1');
    }
    // The event loop must turn, or this process would not notice the end of its parent.
    if (round % ROUNDS_PER_TURN === 0) await turn();
  }
  const retainedBytes = (await heldBytes()) - (heldBefore ?? 0);
  appendFileSync(path, buffer.subarray(0, filled));
  return retainedBytes;
}

/** Refuses what would not be one line that sorts beside its like. */
function asWritten(id: Id): string {
  const text = String(id);
  if (/^[ -~]{0,255}$/.test(text)) return text;
  throw new InvalidOutput(`${JSON.stringify(text)} is not at most 255 printable characters of ASCII`);
}

export const issueJob = caseJob(import.meta.url, 'issueJob', (subject, { format }, request: IssueRequest) =>
  issueIds(subject, format, request),
);

/**
 * What is still in use: the least of several counts, since buffers that the collector has freed are counted
 * until a thread of their own has swept them, which takes a while on a busy machine.
 */
async function heldBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < HELD_COUNTS; count++) {
    await turn();
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    least = Math.min(least, heapUsed + external);
  }
  return least;
}

async function take(subject: Subject, round: number, count: number): Promise<Id[] | undefined> {
  const { nextSync, nextBatchSync, next, nextBatch, ready } = subject;
  const oneByOne = round % (nextSync ? 2 : 5) === 0;
  // A buffer may hold fewer than `count` ids: then only the call that waits is sure to succeed.
  if (!oneByOne) return nextBatchSync && !ready ? nextBatchSync(count) : nextBatch?.(count);
  const ids: Id[] = [];
  if (nextSync) await takeSync(nextSync, subject, ids, count);
  while (next && ids.length < count) {
    const callers = Math.min(CALLERS, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: callers }, next))));
  }
  return ids;
}
