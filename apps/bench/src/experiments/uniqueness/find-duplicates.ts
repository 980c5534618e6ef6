import { setImmediate as turn } from 'node:timers/promises';
import type { IdFormat } from '../../cases/case.js';
import type { Duplicate } from '../../schema/case.js';
import type { Job } from '../../worker/job.js';
import { decodeId, hashWords, payloadWords } from './id-encoder.js';
import { type Partition, type PartitionFile, readPartition } from './partition-file.js';

/**
 * The approximate size of a partition in memory while it is checked, in bytes; its table takes as much again.
 */
const PARTITION_BYTES = 24 * 2 ** 20;
/** Per partition and process while ids are issued, in 32-bit words: 64 kB. */
const BUFFER_WORDS = 16 * 1_024;

export interface PartitionPlan {
  readonly partitions: number;
  readonly bufferWords: number;
}

/** Enough partitions to keep each small enough for memory, even if all ids have the maximum length. */
export function planPartitions(ids: number, { idType, text }: IdFormat): PartitionPlan {
  const bytesPerId = idType === 'string' ? 8 + text.maxLength : 12;
  const partitions = 2 ** Math.max(2, Math.ceil(Math.log2((ids * bytesPerId) / PARTITION_BYTES)));
  return { partitions, bufferWords: BUFFER_WORDS };
}

export interface CheckRequest {
  /** One per process that issued ids, in the order of the processes. */
  readonly files: readonly PartitionFile[];
  readonly idType: IdFormat['idType'];
  /** The partitions to check. */
  readonly partitions: readonly number[];
}

export interface CheckAnswer {
  readonly records: number;
  readonly duplicates: number;
  readonly examples: readonly Duplicate[];
}

/** In one answer. */
const MAX_EXAMPLES = 10;

/** Checks partitions one after the other, so that only one at a time is in memory. */
export async function checkPartitions({ files, idType, partitions }: CheckRequest): Promise<CheckAnswer> {
  let records = 0;
  let duplicates = 0;
  const examples: Duplicate[] = [];
  for (const index of partitions) {
    const partition = await readPartition(files, index);
    const found = findDuplicates(partition, idType, MAX_EXAMPLES - examples.length);
    records += found.records;
    duplicates += found.duplicates;
    examples.push(...found.examples);
    await turn();
  }
  return { records, duplicates, examples };
}

/** Needs no case: the files hold all ids. */
export const checkJob: Job<CheckRequest, CheckAnswer> = {
  module: import.meta.url,
  name: 'checkJob',
  open: async (request) => ({ run: () => checkPartitions(request) }),
};

interface PartitionCheck {
  readonly records: number;
  /** Repetitions: an id that was issued three times counts twice. */
  readonly duplicates: number;
  readonly examples: readonly Duplicate[];
}

/** Slots per record in the table, at least: a table that is half empty keeps the probes short. */
const SLOTS_PER_RECORD = 2;

/** Finds every id that occurs more than once in a partition: exactly, by comparing ids in full. */
function findDuplicates(
  { words, ends }: Partition,
  idType: IdFormat['idType'],
  maxExamples: number,
): PartitionCheck {
  const fewestWords = idType === 'string' ? 2 : 3;
  const most = Math.max(1, Math.floor(words.length / fewestWords));
  const slots = 2 ** Math.ceil(Math.log2(most * SLOTS_PER_RECORD));
  // Holds the position of a record plus one, so that zero is an empty slot.
  const table = new Uint32Array(slots);
  const examples: Duplicate[] = [];
  let records = 0;
  let duplicates = 0;

  const issueAt = (at: number): Duplicate['first'] => ({
    process: ends.findIndex((end) => at < end),
    index: words[at] as number,
  });

  for (let at = 0; at < words.length; ) {
    const count = payloadWords(words, at + 1, idType);
    let slot = hashWords(words, at + 1, count) & (slots - 1);
    let other = table[slot] as number;
    while (other !== 0 && !samePayload(words, other, at + 1, count)) {
      slot = (slot + 1) & (slots - 1);
      other = table[slot] as number;
    }
    if (other === 0) table[slot] = at + 1;
    else {
      duplicates++;
      if (examples.length < maxExamples) {
        const id = String(decodeId(words, at + 1, idType));
        examples.push({ id, first: issueAt(other - 1), again: issueAt(at) });
      }
    }
    records++;
    at += 1 + count;
  }
  return { records, duplicates, examples };
}

/** The first word holds the length of a string, so equal words mean equal lengths too. */
function samePayload(words: Uint32Array, a: number, b: number, count: number): boolean {
  for (let i = 0; i < count; i++) if (words[a + i] !== words[b + i]) return false;
  return true;
}
