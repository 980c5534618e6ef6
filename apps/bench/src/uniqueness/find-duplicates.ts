import type { IdFormat } from '../bench-case.js';
import { decodeId, hashWords, payloadWords } from './id-encoder.js';
import type { Partition } from './partition-file.js';

/** Who issued an id: the how-manieth of which process, both from 0. */
interface Issue {
  readonly process: number;
  readonly index: number;
}

export interface Duplicate {
  /** The id, as text. */
  readonly id: string;
  readonly first: Issue;
  readonly again: Issue;
}

export interface PartitionCheck {
  readonly records: number;
  /** Ids beyond the first of each: an id given three times counts twice. */
  readonly duplicates: number;
  readonly examples: readonly Duplicate[];
}

/** Slots per record in the table, at least: half empty keeps the probes short. */
const SLOTS_PER_RECORD = 2;

/** Finds every id that occurs more than once in a partition: exactly, by comparing ids in full. */
export function findDuplicates(
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

  const issueAt = (at: number): Issue => ({
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

/** The first word holds a text's length, so equal words mean equal lengths too. */
function samePayload(words: Uint32Array, a: number, b: number, count: number): boolean {
  for (let i = 0; i < count; i++) if (words[a + i] !== words[b + i]) return false;
  return true;
}
