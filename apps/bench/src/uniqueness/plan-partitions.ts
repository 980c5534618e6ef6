import type { IdFormat } from '../bench-case.js';

/** About how much of one partition lies in memory when it is checked, in bytes; its table takes as much again. */
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
