import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Id } from '@ids/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IdFormat, Subject } from '../src/cases/case.js';
import { findDuplicates } from '../src/experiments/uniqueness/find-duplicates.js';
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

let files = 0;
async function issued(perProcess: readonly (readonly Id[])[], format: IdFormat): Promise<string[]> {
  const paths = perProcess.map(() => join(dir, String(files++)));
  const issuing = perProcess.map((ids, process) => {
    const path = paths[process] as string;
    return issueIds(listed(ids), format, { count: ids.length, path, process });
  });
  await Promise.all(issuing);
  return paths;
}

async function check(perProcess: readonly (readonly Id[])[], format: IdFormat) {
  return findDuplicates({ paths: await issued(perProcess, format), folder: dir });
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
    const alike = ['a', 'aa', 'aaa', 'aaaa', 'aaaaa', '', 'aaab', ' ', '  ', 'a ', 'a 0', 'a 1', '~', 'a~'];
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
      { numRuns: 20 },
    );
  });

  it('refuses an id that is not of the format, rather than compare it wrongly', async () => {
    const digits = { idType: 'string', text: { pattern: /^\d+$/, maxLength: 9, sortable: true } } as const;
    await expect(check([['12', '1x']], digits)).rejects.toThrow('"1x" does not match');
    await expect(check([['é']], formats.string)).rejects.toThrow('printable characters of ASCII');
    await expect(check([['a\tb']], formats.string)).rejects.toThrow('printable characters of ASCII');
    await expect(check([[1n]], formats.number)).rejects.toThrow('1 is a bigint, number was promised');
    const long = { ...formats.string, text: { ...anyText, maxLength: 300 } };
    await expect(check([['a'.repeat(256)]], long)).rejects.toThrow('not at most 255');
  });
});

describe('the written form of an id', () => {
  const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
  it.each([
    ['string', fc.string({ unit: printable, maxLength: 255 })],
    ['number', fc.maxSafeNat()],
    ['bigint', fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })],
  ] as const)('can be read back exactly: %s', async (idType, arbitrary) => {
    const someIds = fc.array(arbitrary as fc.Arbitrary<Id>, { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(someIds, async (ids) => {
        const [, path = ''] = await issued([[], ids], formats[idType]);
        const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
        const calls = lines.map((line) => line.split('\t'));
        expect(calls.map(([id]) => id)).toEqual(ids.map(String));
        expect(calls.map(([, call]) => Number(call))).toEqual(ids.map((_, index) => 2 ** 32 + index));
        expect(new Set(calls.map(([, call]) => call?.length))).toEqual(new Set([12]));
      }),
    );
  });

  it('is searched with an error that says why, if a file is missing', async () => {
    const search = findDuplicates({ paths: [join(dir, 'none')], folder: dir });
    await expect(search).rejects.toThrow(/^sort ended with 2: .*none/);
  });
});
