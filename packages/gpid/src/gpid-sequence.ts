import { IdError } from '@ids/core';

/** The ids under one prefix, of one thread. Plain data: copies of this package in one thread share it. */
export interface Sequence {
  /** The last number given; 0 before the first. */
  last: number;
}

const SEQUENCES = Symbol.for('@ids/gpid sequences 1');

type Holder = typeof globalThis & { [SEQUENCES]?: Map<string, Sequence> };

/** The one sequence of `prefix` in this thread. Kept as long as the thread lives: a second one would repeat ids. */
export function sequenceOf(prefix: string): Sequence {
  const holder: Holder = globalThis;
  holder[SEQUENCES] ??= new Map();
  const sequences = holder[SEQUENCES];
  const sequence = sequences.get(prefix) ?? { last: 0 };
  sequences.set(prefix, sequence);
  return sequence;
}

/** Issues ids `prefix + number`; `sequence` may be shared with other issuers of the same prefix. */
export function sequenceIssuer(prefix: string, sequence: Sequence) {
  return {
    issue(): string {
      if (sequence.last >= Number.MAX_SAFE_INTEGER) throw exhausted(prefix);
      sequence.last += 1;
      return prefix + sequence.last;
    },
    /** All of `count` or an error that takes none. */
    issueBatch(count: number): string[] {
      const before = sequence.last;
      if (count > Number.MAX_SAFE_INTEGER - before) throw exhausted(prefix);
      sequence.last = before + count;
      const ids = new Array<string>(count);
      for (let index = 0; index < count; index++) ids[index] = prefix + (before + index + 1);
      return ids;
    },
  };
}

function exhausted(prefix: string): IdError {
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `gpid: the ids under ${prefix} end at ${Number.MAX_SAFE_INTEGER}; a restarted process begins at 1 under a prefix of its own`,
  );
}
