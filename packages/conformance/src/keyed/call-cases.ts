import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { type Id, type KeyedIdGenerator, MAX_BATCH } from '@ids/core';
import { naturalOrder } from '@ids/core/order';
import { assertContiguous, assertRising, countSkipped, orderOf, skippedOf } from '../cases/assert-ids.js';
import { never, settledInTime } from '../cases/conformance-case.js';
import { noteUntested } from '../untested.js';
import { type KeyedConformanceCase, manyKeys, shown, take, withFamily } from './keyed-case.js';

const KEYS = 30;
/** As many as do not divide the keys, so that each key has calls of each kind. */
const COUNTS = [1, 1, 3, 1, 40, 1, 700] as const;

export const callCases: readonly KeyedConformanceCase[] = [
  {
    name: 'serves the calls of each key first come, first served, beside many keys',
    skip: never,
    run: (subject) =>
      withFamily(subject, async (family) => {
        const keys = manyKeys(KEYS);
        const [ids, settled] = [new Map<string, Id[]>(), new Map<string, number[]>()];
        const calls = Array.from({ length: KEYS * 16 }, async (_, call) => {
          const key = keys[(call * 7) % KEYS] ?? '';
          const count = COUNTS[call % COUNTS.length] ?? 1;
          const some = await take(family, key, count);
          // A batch may pass through more promises than one id.
          const kind = `${count === 1 ? 'calls of next' : 'calls of nextBatch'} for ${key}`;
          settled.set(kind, [...(settled.get(kind) ?? []), call]);
          return { key, ids: some };
        });
        for (const { key, ids: some } of await Promise.all(calls)) {
          ids.set(key, [...(ids.get(key) ?? []), ...some]);
        }
        for (const [kind, order] of settled) {
          assertRising(
            order,
            naturalOrder,
            `${kind}, numbered as they were made, in the order in which they settled`,
          );
        }
        if (subject.guarantees.order.process === 'none') return;
        for (const key of keys) {
          assertRising(ids.get(key) ?? [], orderOf(subject), `ids of ${key}, in the order of its calls`);
        }
      }),
  },
  {
    name: 'returns whole batches of many keys at once, and none of a key for a count of 0',
    skip: never,
    run: (subject) =>
      withFamily(subject, async (family) => {
        const keys = manyKeys(20);
        for (const round of [0, 1]) {
          const calls = keys.flatMap((key, i) =>
            [1 + i * 3, 2_500].map(async (count) => ({
              key,
              count,
              ids: await family.nextBatch(key, count),
            })),
          );
          for (const { key, count, ids } of await Promise.all(calls)) {
            assert.equal(ids.length, count, `nextBatch(${key}, ${count}) in round ${round + 1}`);
            assertContiguous(ids, skippedOf(subject), `a batch of ${key} in round ${round + 1}`);
          }
        }
        assert.deepEqual(await family.nextBatch('none', 0), [], 'a batch of none');
        for (const count of [-1, 1.5, MAX_BATCH + 1, Number.NaN]) {
          await assert.rejects(
            async () => family.nextBatch('none', count),
            RangeError,
            `nextBatch(key, ${count}) must fail with a RangeError`,
          );
        }
        assert.equal(
          await family.highest('none'),
          undefined,
          'a batch of none, or a refused one, began its key',
        );
      }),
  },
  {
    name: 'reads as the highest id of a key none before the first, and never less than was returned',
    skip: never,
    run: async (subject) => {
      const { compare = naturalOrder } = subject;
      const context = await subject.fresh();
      await withFamily(
        subject,
        (family) =>
          withFamily(
            subject,
            async (other) => {
              assert.equal(await family.highest('a'), undefined, 'the highest id before the first');
              assert.equal(await family.highest('a'), undefined, 'the highest id after it was asked for');
              let before: Id | undefined;
              for (let turn = 0; turn < 40; turn++) {
                const [one, issuer] = turn % 2 === 0 ? [family, other] : [other, family];
                const pending = family.nextBatch('a', 5);
                const issued = (await take(issuer, 'a', 1 + (turn % 4))).at(-1);
                const highest = await one.highest('a');
                assert.ok(
                  issued !== undefined && highest !== undefined,
                  'no highest id after an id was issued',
                );
                assert.ok(
                  compare(highest, issued) >= 0,
                  `the highest id is ${highest} after ${issued} was returned`,
                );
                assert.ok(
                  before === undefined || compare(highest, before) >= 0,
                  `the highest id fell from ${before} to ${highest}`,
                );
                before = highest;
                await pending;
              }
              assert.equal(await family.highest('b'), undefined, 'the highest id of another key');
            },
            context,
          ),
        context,
      );
    },
  },
  {
    name: 'loses no id of other keys, and of its own no more than were asked for, when a call aborts',
    skip: never,
    run: (subject) =>
      withFamily(subject, async (family) => {
        const [aborted, others]: [Id[], Id[]] = [[], []];
        let asked = 0;
        for (let round = 0; round < 4; round++) {
          const controller = new AbortController();
          const reason = { why: 'the caller changed its mind' };
          const { signal } = controller;
          const calls = Array.from({ length: 24 }, (_, call) => {
            const count = call % 4 === 0 ? 3 : 1;
            if (call % 2 === 0) return { key: 'b', count, ids: take(family, 'b', count) };
            const gives = call % 3 === 0;
            return { key: 'a', count, gives, ids: take(family, 'a', count, gives ? { signal } : {}) };
          });
          // Where calls wait for an answer, some rounds find them under way.
          if (round % 2 === 1) await setImmediate();
          controller.abort(reason);
          const results = await settledInTime(calls.map(({ ids }) => ids));
          for (const [i, result] of results.entries()) {
            const { key, count, gives = false } = calls[i] ?? { key: '', count: 0 };
            assert.ok(result !== undefined, `a call of key ${key} did not settle after another was aborted`);
            if (result.status === 'fulfilled') (key === 'a' ? aborted : others).push(...result.value);
            else if (gives)
              assert.equal(result.reason, reason, 'an aborted call rejected with another reason');
            else assert.fail(`a call of key ${key} failed because another was aborted: ${result.reason}`);
            if (result.status === 'rejected') asked += count;
          }
          for (const [key, ids] of [
            ['a', aborted],
            ['b', others],
          ] as const) {
            ids.push(await family.next(key));
          }
        }
        const skipped = skippedOf(subject);
        assertContiguous(others, skipped, 'ids of a key beside aborted calls of another');
        const lost = countSkipped(aborted, skipped, 'around aborted calls');
        assert.ok(lost <= BigInt(asked), `${lost} numbers were skipped around calls that asked for ${asked}`);
      }),
  },
  {
    name: 'counts over all keys, never downwards, and each id that it issued',
    skip: never,
    run: (subject) =>
      withFamily(subject, async (family) => {
        let [issued, before] = [0, readCounters(family, {}, 'at the start')];
        const steps: [name: string, ids: number, step: () => Promise<unknown>][] = [
          ['next of one key', 1, () => family.next('a')],
          ['next of 50 keys', 50, () => Promise.all(manyKeys(50).map((key) => family.next(key)))],
          ['batches of 20 keys', 140, () => Promise.all(manyKeys(20).map((key) => family.nextBatch(key, 7)))],
          ['a view', 3, () => family.of('b').nextBatch(3)],
          ['a key after others were idle', 1, () => family.next('a')],
          ['close()', 0, () => family.close()],
        ];
        for (const [name, ids, step] of steps) {
          await step();
          await setImmediate();
          issued += ids;
          before = readCounters(family, before, `after ${name}`);
          const { idsIssued = issued } = before;
          assert.equal(idsIssued, issued, `idsIssued must be ${issued} after ${name}, got ${idsIssued}`);
        }
        if (Object.keys(before).length === 0)
          noteUntested(subject, 'counters', 'the generator counts nothing');
      }),
  },
];

type Counted = Readonly<Record<string, number>>;

/** The counters, of which none is below its value in `before`. */
function readCounters(family: KeyedIdGenerator, before: Counted, when: string): Counted {
  const counters = { ...family.counters?.() } as Counted;
  for (const [name, value] of Object.entries(before)) {
    const now = counters[name];
    assert.ok(now !== undefined && now >= value, `${name} fell from ${value} to ${shown(now)} ${when}`);
  }
  return counters;
}
