import assert from 'node:assert/strict';
import type { KeyedIdGenerator } from '@ids/core';
import { assertContiguous, skippedOf } from '../cases/assert-ids.js';
import { never } from '../cases/conformance-case.js';
import { HOSTILE_KEYS, NO_KEYS, TOO_LONG } from './hostile-keys.js';
import { type KeyedConformanceCase, shown, take, withFamily } from './keyed-case.js';

const WRONG_STARTS = [-1, 1.5, 2 ** 53, Number.NaN];

export const keyCases: readonly KeyedConformanceCase[] = [
  {
    name: 'claims what holds within a key, and by the view of a key the same of its ids',
    skip: never,
    run: (subject) =>
      withFamily(subject, async (family) => {
        const { guarantees } = family;
        assert.deepEqual(guarantees, subject.guarantees, 'the generator claims something else');
        assert.equal(guarantees.within, 'key', 'within: what its claims hold of');
        const { within: _within, ...ofOneKey } = guarantees;
        const view = family.of('a');
        assert.deepEqual(view.guarantees, ofOneKey, 'the view of a key claims something else');
        assert.ok(Object.isFrozen(guarantees) && Object.isFrozen(view.guarantees), 'guarantees are frozen');
        assert.equal(view.strategy, family.strategy, 'the name of the strategy');
      }),
  },
  {
    name: 'counts each key from its own start, whatever is issued of others',
    skip: never,
    run: (subject) =>
      withFamily(subject, async (family) => {
        const first = await family.next('a');
        const others = [await family.next('b')];
        for (let turn = 0; turn < 30; turn++) {
          await family.nextBatch('a', 7 * turn);
          await Promise.all([family.next('a'), family.next(`c${turn}`)]);
          others.push(...(await take(family, 'b', 1 + (turn % 3))));
        }
        assert.equal(others[0], first, 'the first id of a key, after one of another key was issued');
        assertContiguous(others, skippedOf(subject), 'ids of one key, beside those of others');
      }),
  },
  {
    name: 'keeps apart keys that differ in any byte',
    skip: never,
    run: (subject) =>
      withFamily(subject, async (family) => {
        const first = await family.next('the key of none of these');
        const singly = new Map<string, unknown>();
        for (const key of HOSTILE_KEYS) {
          assert.equal(await family.highest(key), undefined, `${shown(key)} has ids before its first call`);
          singly.set(key, await family.next(key));
        }
        for (const [key, id] of singly) assert.equal(id, first, `the first id of ${shown(key)}`);
        // Together, as one statement may carry them all; and by the views.
        const again = await Promise.all(HOSTILE_KEYS.map((key) => family.next(key)));
        for (const [i, id] of again.entries()) {
          const key = HOSTILE_KEYS[i] ?? '';
          const ids = [first, id, await family.of(key).next()];
          assertContiguous(ids, skippedOf(subject), `ids of ${shown(key)}`);
        }
      }),
  },
  {
    name: 'refuses keys of more than 255 bytes, and what is no well-formed string',
    skip: never,
    run: (subject) =>
      withFamily(subject, async (family) => {
        for (const [keys, kind] of [
          [TOO_LONG, RangeError],
          [NO_KEYS, TypeError],
        ] as const) {
          for (const wrong of keys) {
            const key = wrong as string;
            for (const [name, call] of requests(family, key)) {
              const [result] = await Promise.allSettled([(async () => call())()]);
              const what = `${name} for the key ${shown(wrong)}`;
              assert.equal(result?.status, 'rejected', `${what} must be refused`);
              assert.ok(
                result.reason instanceof kind,
                `${what} must fail with a ${kind.name}: ${result.reason}`,
              );
            }
          }
        }
        const first = await family.next('a');
        assert.equal(await family.next('x'.repeat(255)), first, 'the first id of a key of 255 bytes');
      }),
  },
  {
    name: 'starts a key after startAfter with its first request only',
    skip: never,
    run: (subject) =>
      withFamily(subject, async (family) => {
        const skipped = skippedOf(subject);
        const million = await family.next('a', { startAfter: 1_000_000 });
        const [later = million] = await family.nextBatch('b', 2, { startAfter: 1_000_500 });
        assert.equal(
          skipped(million, later),
          499n,
          'numbers between keys that start after 10^6 and 500 more',
        );
        const usual = await family.next('c');
        const behind = BigInt(1_000_000) - 1n;
        assert.ok(skipped(usual, million) <= behind, 'a key without startAfter, as far as one after 10^6');
        const next = await family.next('a', { startAfter: 5_000_000 });
        const batch = await family.nextBatch('a', 3, { startAfter: 7_000_000 });
        assertContiguous([million, next, ...batch], skipped, 'ids of a key with startAfter once more');
        for (const startAfter of WRONG_STARTS) {
          await assert.rejects(
            async () => family.next('d', { startAfter }),
            RangeError,
            `startAfter ${startAfter} must be refused with a RangeError`,
          );
        }
        assert.equal(await family.highest('d'), undefined, 'a refused startAfter began its key');
      }),
  },
];

function requests(family: KeyedIdGenerator, key: string): [name: string, call: () => unknown][] {
  return [
    ['next', () => family.next(key)],
    ['nextBatch', () => family.nextBatch(key, 3)],
    ['nextBatch of none', () => family.nextBatch(key, 0)],
    ['highest', () => family.highest(key)],
    ['of', () => family.of(key)],
  ];
}
