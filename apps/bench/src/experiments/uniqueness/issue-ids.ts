import { setImmediate as turn } from 'node:timers/promises';
import { type Id, isIdError } from '@ids/core';
import type { IdFormat, Subject } from '../../cases/case.js';
import { assertFormat, InvalidOutput } from '../../measure/validate.js';
import { caseJob } from '../../worker/job.js';
import { hashWords, idEncoder, partitionOf } from './id-encoder.js';
import { type PartitionFile, PartitionWriter } from './partition-file.js';

export interface IssueRequest {
  /** Ids to issue; at most 2^32. */
  readonly count: number;
  /** A new file for the ids. */
  readonly path: string;
  /** A power of two. */
  readonly partitions: number;
  /** 32-bit words per partition held in memory. */
  readonly bufferWords: number;
}

export interface IssueAnswer {
  readonly file: PartitionFile;
  readonly issued: number;
  /** How much more memory the process holds at the end than after a quarter of the ids, in bytes. */
  readonly retainedBytes: number;
}

const BATCH = 1_000;
const ROUNDS_PER_VALIDATION = 10;
const ROUNDS_PER_TURN = 10;
/** From this share of the ids on, a process without a leak holds no more than before. */
const SETTLED_SHARE = 0.25;
/** Concurrent calls of `next`, for strategies without `nextSync`. */
const CALLERS = 100;

/**
 * Issues ids as fast as the subject can, half of them one by one and half in batches (fewer one by one if
 * each is a round trip), and records each. Every tenth round is checked against the whole format, and every
 * id against its type.
 */
export async function issueIds(
  subject: Subject,
  format: IdFormat,
  { count, path, partitions, bufferWords }: IssueRequest,
): Promise<IssueAnswer> {
  const encoder = idEncoder(format);
  const writer = await PartitionWriter.create(path, partitions, bufferWords);
  let issued = 0;
  let heldBefore: number | undefined;
  try {
    for (let round = 0; issued < count; round++) {
      if (heldBefore === undefined && issued >= count * SETTLED_SHARE) heldBefore = heldBytes();
      const wanted = Math.min(BATCH, count - issued);
      const ids = await take(subject, round, wanted);
      if (round % ROUNDS_PER_VALIDATION === 0) assertFormat(ids, format);
      for (const id of ids) {
        const words = encoder.encode(id);
        const partition = partitionOf(hashWords(encoder.words, 0, words), partitions);
        if (!writer.fits(partition, 1 + words)) await writer.spill(partition);
        writer.add(partition, issued++, encoder.words, words);
      }
      // The event loop must turn, or this process would not notice the end of its parent.
      if (round % ROUNDS_PER_TURN === 0) await turn();
    }
    const retainedBytes = heldBytes() - (heldBefore ?? 0);
    return { file: await writer.finish(), issued, retainedBytes };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

export const issueJob = caseJob(import.meta.url, 'issueJob', (subject, { format }, request: IssueRequest) =>
  issueIds(subject, format, request),
);

function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function take(subject: Subject, round: number, count: number): Promise<Id[]> {
  const oneByOne = subject.nextSync ? round % 2 === 0 : round % 5 === 0;
  const ids = await (oneByOne ? singles(subject, count) : batch(subject, count));
  if (ids?.length !== count) throw new InvalidOutput(`asked for ${count} ids, got ${ids?.length}`);
  return ids;
}

function batch(
  { nextBatchSync, nextBatch, ready }: Subject,
  count: number,
): Id[] | Promise<Id[]> | undefined {
  // A buffer may hold fewer than `count` ids: then only the call that waits is sure to succeed.
  return nextBatchSync && !ready ? nextBatchSync(count) : nextBatch?.(count);
}

async function singles({ nextSync, next, ready }: Subject, count: number): Promise<Id[]> {
  const ids: Id[] = [];
  while (nextSync && ids.length < count) {
    try {
      ids.push(nextSync());
    } catch (error) {
      if (!isIdError(error) || error.code !== 'ERR_IDS_NOT_READY') throw error;
      await ready?.();
    }
  }
  while (next && ids.length < count) {
    const callers = Math.min(CALLERS, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: callers }, next))));
  }
  return ids;
}
