import assert from 'node:assert/strict';
import { type Counters, type IdGenerator, isSyncGenerator } from '@ids/core';
import { openSubject } from '../subject.js';
import { noteUntested } from '../untested.js';
import { type ConformanceCase, never } from './conformance-case.js';

export const counterCases: readonly ConformanceCase[] = [
  {
    name: 'counts what it did, never downwards, and each id that it issued',
    skip: never,
    run: async (subject) => {
      const generator = await openSubject(subject.module, await subject.fresh());
      let before = readCounters(generator, 'at the start');
      let issued = 0;
      for (const [name, ids, step] of stepsOf(generator)) {
        await step();
        issued += ids;
        const after = readCounters(generator, `after ${name}`);
        assertRisen(before, after, `after ${name}`);
        const { idsIssued = issued } = after;
        assert.equal(idsIssued, issued, `idsIssued must be ${issued} after ${name}, got ${idsIssued}`);
        before = after;
      }
      if (Object.keys(before).length > 0) return;
      noteUntested(subject, 'counters', 'the generator counts nothing');
    },
  },
];

/** What is called, how many ids it issues, and the call. The last one closes the generator. */
function stepsOf(generator: IdGenerator): [name: string, ids: number, step: () => Promise<unknown>][] {
  const sync: [string, number, () => Promise<unknown>][] = [
    [
      'ready() and nextSync()',
      1,
      () => generator.ready().then(() => isSyncGenerator(generator) && generator.nextSync()),
    ],
  ];
  return [
    ['next()', 1, () => generator.next()],
    ['nextBatch(0)', 0, () => generator.nextBatch(0)],
    ['nextBatch(700)', 700, () => generator.nextBatch(700)],
    ...(isSyncGenerator(generator) ? sync : []),
    ['50 calls of next() at once', 50, () => Promise.all(Array.from({ length: 50 }, () => generator.next()))],
    [
      'a call that was aborted before',
      0,
      () => generator.next({ signal: AbortSignal.abort() }).catch(() => undefined),
    ],
    ['nextBatch(3000)', 3_000, () => generator.nextBatch(3_000)],
    ['close()', 0, () => generator.close()],
  ];
}

type Counted = Readonly<Record<string, number>>;

function readCounters(generator: IdGenerator, when: string): Counted {
  const counters: Counters = generator.counters?.() ?? {};
  for (const [name, value] of Object.entries(counters)) {
    assert.ok(
      typeof value === 'number' && Number.isFinite(value) && value >= 0,
      `${name} must be a number from 0, got ${value} ${when}`,
    );
  }
  return { ...counters } as Counted;
}

function assertRisen(before: Counted, after: Counted, when: string): void {
  for (const [name, value] of Object.entries(before)) {
    const now = after[name];
    assert.ok(now !== undefined, `${name} is missing ${when}, it was ${value}`);
    assert.ok(now >= value, `${name} fell from ${value} to ${now} ${when}`);
  }
}
