import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Id } from '@ids/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IdFormat, Subject } from '../src/cases/case.js';
import { checkPartitions, planPartitions } from '../src/experiments/uniqueness/find-duplicates.js';
import { decodeId, idEncoder, payloadWords } from '../src/experiments/uniqueness/id-encoder.js';
import { issueIds } from '../src/experiments/uniqueness/issue-ids.js';

const anyText = { pattern: /^/, maxLength: 255, sortable: false };
const formats = {
  string: { idType: 'string', text: anyText },
  number: { idType: 'number', text: anyText },
  bigint: { idType: 'bigint', text: anyText },
} as const satisfies Record<string, IdFormat>;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
});
afterEach(() => rm(dir, { recursive: true }));

/**
 * Small enough that every process spills many times, and one word short of 13 records with ids of 24 digits.
 */
const SMALL = { partitions: 8, bufferWords: 103 };

let files = 0;
async function check(perProcess: readonly (readonly Id[])[], format: IdFormat, plan = SMALL) {
  const issued = await Promise.all(
    perProcess.map((ids) => {
      const path = join(dir, String(files++));
      return issueIds(listed(ids), format, { count: ids.length, path, ...plan });
    }),
  );
  const partitions = Array.from({ length: plan.partitions }, (_, p) => p);
  return checkPartitions({ files: issued.map(({ file }) => file), idType: format.idType, partitions });
}

function listed(ids: readonly Id[]): Subject {
  let at = 0;
  return {
    nextSync: () => ids[at++] as Id,
    nextBatchSync: (count) => {
      at += count;
      return ids.slice(at - count, at);
    },
    close: async () => {},
  };
}

const hex = (value: number) => value.toString(16).padStart(24, '0');

describe('the search for duplicates', () => {
  it('finds one repeated id among 200,000 of four processes and says who gave it', async () => {
    const perProcess = [0, 1, 2, 3].map((process) =>
      Array.from({ length: 50_000 }, (_, index) => hex(process * 50_000 + index)),
    );
    perProcess[3]?.splice(41_234, 1, hex(50_017));
    expect(await check(perProcess, formats.string)).toEqual({
      records: 200_000,
      duplicates: 1,
      examples: [{ id: hex(50_017), first: { process: 1, index: 17 }, again: { process: 3, index: 41_234 } }],
    });
  });

  it('finds nothing among as many ids that all differ', async () => {
    const perProcess = [0, 1].map((process) =>
      Array.from({ length: 50_000 }, (_, index) => 2 ** 40 + index * 2 + process),
    );
    expect(await check(perProcess, formats.number)).toEqual({
      records: 100_000,
      duplicates: 0,
      examples: [],
    });
  });

  it('finds a repetition within one process', async () => {
    const { duplicates, examples } = await check([[5n, 6n, 5n]], formats.bigint);
    expect(duplicates).toBe(1);
    expect(examples).toEqual([{ id: '5', first: { process: 0, index: 0 }, again: { process: 0, index: 2 } }]);
  });

  it('tells apart ids that share almost everything', async () => {
    const alike = ['a', 'aa', 'aaa', 'aaaa', 'aaaaa', '', 'aaab', '\0', '\0\0', 'a\0'];
    expect((await check([alike], formats.string)).duplicates).toBe(0);
  });

  it('counts an id that was given three times as two duplicates', async () => {
    const { duplicates, examples } = await check([['x'], ['x'], ['y', 'x']], formats.string);
    expect(duplicates).toBe(2);
    expect(examples.map(({ again }) => again)).toEqual([
      { process: 1, index: 0 },
      { process: 2, index: 1 },
    ]);
  });

  it('agrees with a plain count for any ids of any processes', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '0', '/'), maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(text, { maxLength: 60 }), { minLength: 1, maxLength: 4 }),
        async (ids) => {
          const { records, duplicates } = await check(ids, formats.string);
          expect(records).toBe(ids.flat().length);
          expect(duplicates).toBe(ids.flat().length - new Set(ids.flat()).size);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('refuses an id that is not of the format, rather than compare it wrongly', async () => {
    const digits = { idType: 'string', text: { pattern: /^\d+$/, maxLength: 9, sortable: true } } as const;
    await expect(check([['12', '1x']], digits)).rejects.toThrow('"1x" does not match');
    await expect(check([['é']], formats.string)).rejects.toThrow('not plain ASCII');
    await expect(check([[1.5]], formats.number)).rejects.toThrow('1.5 is not an integer');
    await expect(check([[-1n]], formats.bigint)).rejects.toThrow('-1 is not a bigint from 0');
  });
});

describe('the written form of an id', () => {
  it.each([
    ['string', fc.string({ unit: 'binary-ascii', maxLength: 255 })],
    ['number', fc.maxSafeNat()],
    ['bigint', fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })],
  ] as const)('can be read back exactly: %s', (idType, arbitrary) => {
    // One for all, so that what an id leaves behind would show in the next.
    const encoder = idEncoder(formats[idType]);
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<Id>, (id) => {
        const count = encoder.encode(id);
        expect(payloadWords(encoder.words, 0, idType)).toBe(count);
        expect(decodeId(encoder.words, 0, idType)).toBe(id);
      }),
    );
  });

  it('refuses texts that are longer than it can hold', () => {
    const long = { idType: 'string', text: { ...anyText, maxLength: 256 } } as const;
    expect(() => idEncoder(long)).toThrow('at most 255 can be checked');
  });
});

describe('planPartitions', () => {
  it('keeps a partition small however many ids there are', () => {
    for (const ids of [1, 1e5, 1e7, 1e8]) {
      const { partitions } = planPartitions(ids, { idType: 'string', text: { ...anyText, maxLength: 64 } });
      expect((ids * 72) / partitions).toBeLessThanOrEqual(24 * 2 ** 20);
      expect(Math.log2(partitions) % 1).toBe(0);
    }
  });
});
