import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Id } from '@ids/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IdFormat, Subject } from '../src/cases/case.js';
import { findDuplicates } from '../src/experiments/uniqueness/find-duplicates.js';
import { issueIds } from '../src/experiments/uniqueness/issue-ids.js';

const PROCESSES = 4;

/** Ids that all differ; `number` counts those of all processes. */
const kinds = {
  'dense numbers': {
    format: { idType: 'number', text: { pattern: /^\d+$/, maxLength: 16, sortable: false } },
    idOf: (number: number) => number + 1,
  },
  '96 bits as hex': {
    format: { idType: 'string', text: { pattern: /^[0-9a-f]{24}$/, maxLength: 24, sortable: true } },
    idOf: (number: number) => `5a17b9d9ab102555${number.toString(16).padStart(8, '0')}`,
  },
  'texts of many lengths': {
    format: { idType: 'string', text: { pattern: /^p\/\d+$/, maxLength: 64, sortable: false } },
    idOf: (number: number) => `p/${number}`,
  },
} as const satisfies Record<string, { format: IdFormat; idOf: (number: number) => Id }>;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
});
afterEach(() => rm(dir, { recursive: true }));

interface Mutant {
  /** The call that repeats an id, and the one that gave it. */
  readonly again: { readonly process: number; readonly index: number };
  readonly first: { readonly process: number; readonly index: number };
}

/** Everything as in a run, but for the processes: the files are the same. `mutant` gives one id twice. */
async function search(
  perProcess: number,
  { format, idOf }: (typeof kinds)[keyof typeof kinds],
  mutant?: Mutant,
) {
  const numberOf = (process: number, index: number) => process * perProcess + index;
  const paths = [];
  for (let process = 0; process < PROCESSES; process++) {
    let index = 0;
    const next = (): Id => {
      const repeats = mutant?.again.process === process && mutant.again.index === index;
      const number = repeats ? numberOf(mutant.first.process, mutant.first.index) : numberOf(process, index);
      index++;
      return idOf(number);
    };
    const subject: Subject = {
      nextSync: next,
      nextBatchSync: (count) => Array.from({ length: count }, next),
      close: async () => {},
    };
    const path = join(dir, String(process));
    await issueIds(subject, format, { count: perProcess, path, process });
    paths.push(path);
  }
  return findDuplicates({ paths, folder: dir });
}

const SIZE = 100_000;

describe.each(Object.entries(kinds))('one repetition among 400,000 %s', (_, kind) => {
  it.each<[string, Mutant]>([
    ['the very first id by the very last call', at(0, 0, 3, SIZE - 1)],
    ['the last id of a process by the first call of the next', at(1, SIZE - 1, 2, 0)],
    ['an id by the next call of the same process', at(2, 54_321, 2, 54_322)],
  ])('is found where it is %s', async (_, mutant) => {
    expect(await search(SIZE, kind, mutant)).toEqual({
      records: SIZE * PROCESSES,
      duplicates: 1,
      examples: [{ id: expect.anything(), ...mutant }],
    });
  });

  it('is not seen where there is none', async () => {
    expect(await search(SIZE, kind)).toEqual({ records: SIZE * PROCESSES, duplicates: 0, examples: [] });
  });
});

describe('one repetition among 100,000,000 ids', () => {
  it.skipIf(process.env.IDS_FULL !== '1').each(Object.entries(kinds).slice(0, 2))(
    'is found, exactly and in less than 1 GB of memory: %s',
    async (_, kind) => {
      const mutant = at(1, 24_999_999, 3, 7);
      const found = await search(25_000_000, kind, mutant);
      expect(found).toMatchObject({ records: 100_000_000, duplicates: 1, examples: [mutant] });
      // In kilobytes, the most that this process ever held.
      expect(process.resourceUsage().maxRSS).toBeLessThan(1_000_000);
    },
    1_800_000,
  );
});

function at(firstProcess: number, firstIndex: number, againProcess: number, againIndex: number): Mutant {
  return {
    first: { process: firstProcess, index: firstIndex },
    again: { process: againProcess, index: againIndex },
  };
}
