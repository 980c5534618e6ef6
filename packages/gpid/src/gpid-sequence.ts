import { IdError } from '@ids/core';
import type { Gpid } from './gpid.js';
import { idProcess } from './gpid-id.js';
import { NumberedText } from './numbered-text.js';
import { type Sequence, threadState } from './thread-state.js';

/** The one sequence of a process, as this thread gives its ids. */
export function sequenceOf(gpid: Gpid): Sequence {
  const { sequences } = threadState();
  const process = idProcess(gpid);
  const sequence = sequences.get(process) ?? { prefix: `${process};run=${gpid.evidence.run}/`, last: 0 };
  sequences.set(process, sequence);
  return sequence;
}

/**
 * Issues ids `prefix + number` from the sequence that `cell` holds at the time, which
 * other issuers may share.
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
    /** All of `count` or an error that takes none. */
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
    `gpid: the ids under ${prefix} end at ${Number.MAX_SAFE_INTEGER}; a restarted process begins at 1 under a prefix of its own`,
  );
}
