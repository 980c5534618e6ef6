import { setImmediate as turn } from 'node:timers/promises';
import type { IdFormat } from '../bench-case.js';
import { type Duplicate, findDuplicates } from './find-duplicates.js';
import { type PartitionFile, readPartition } from './partition-file.js';

/**
 * About how much of one partition lies in memory when it is checked, in bytes; its table takes as much again.
 */
const PARTITION_BYTES = 24 * 2 ** 20;
/** Per partition and process while ids are issued, in 32-bit words: 64 kB. */
const BUFFER_WORDS = 16 * 1_024;

export interface PartitionPlan {
  readonly partitions: number;
  readonly bufferWords: number;
}

/** As many partitions as keep each small enough for memory, were all ids as long as they may be. */
export function planPartitions(ids: number, { idType, text }: IdFormat): PartitionPlan {
  const bytesPerId = idType === 'string' ? 8 + text.maxLength : 12;
  const partitions = 2 ** Math.max(2, Math.ceil(Math.log2((ids * bytesPerId) / PARTITION_BYTES)));
  return { partitions, bufferWords: BUFFER_WORDS };
}

export interface CheckRequest {
  /** One per process that issued ids, in the order of the processes. */
  readonly files: readonly PartitionFile[];
  readonly idType: IdFormat['idType'];
  /** The partitions to look at. */
  readonly partitions: readonly number[];
}

export interface CheckAnswer {
  readonly records: number;
  readonly duplicates: number;
  readonly examples: readonly Duplicate[];
}

const MAX_EXAMPLES = 10;

/** Checks partitions one after the other, so that only one is in memory. */
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
