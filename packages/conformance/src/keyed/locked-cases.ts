import assert from 'node:assert/strict';
import type { Id } from '@ids/core';
import { assertRising, orderOf } from '../cases/assert-ids.js';
import { never, settledInTime } from '../cases/conformance-case.js';
import { noteUntested } from '../untested.js';
import { type KeyedConformanceCase, manyKeys, take, withFamily } from './keyed-case.js';

/** Calls of other keys while one is locked; one after the other as well, which a queue for all would stop. */
const ROUNDS = 6;

export const lockedCases: readonly KeyedConformanceCase[] = [
  {
    name: 'serves all other keys while one is locked, and its calls in order afterwards',
    skip: never,
    run: async (subject) => {
      const { lockKey } = subject;
      if (lockKey === undefined) {
        return noteUntested(subject, 'a key that somebody locks', 'the subject has no lockKey()');
      }
      const context = await subject.fresh();
      await withFamily(
        subject,
        async (family) => {
          await Promise.all(['held', ...manyKeys(5)].map((key) => family.next(key)));
          const unlock = await lockKey.call(subject, context, 'held');
          let released: Promise<void> | undefined;
          const release = (): Promise<void> => (released ??= unlock());
          try {
            let arrived = 0;
            const held = [1, 3, 1].map(async (count) => {
              const ids = await take(family, 'held', count);
              arrived += 1;
              return ids;
            });
            const aborting = new AbortController();
            const given = take(family, 'held', 2, { signal: aborting.signal });
            void Promise.allSettled([...held, given]);
            for (let round = 0; round < ROUNDS; round++) {
              const keys = [...manyKeys(20), ...manyKeys(10, `new in ${round}:`)];
              const results = await settledInTime(keys.map((key) => take(family, key, 1)));
              for (const [i, result] of results.entries()) {
                assert.equal(
                  result?.status,
                  'fulfilled',
                  `${keys[i]} got no id while another key was locked`,
                );
              }
            }
            assert.equal(arrived, 0, 'calls of the locked key that got ids: it was not locked');
            const reason = new Error('given up');
            aborting.abort(reason);
            const [gone] = await settledInTime([given]);
            const outcome = gone?.status === 'rejected' ? gone.reason : gone;
            assert.equal(outcome, reason, 'what became of a call of the locked key that was aborted');
            await release();
            const served = await settledInTime(held);
            const ids: Id[] = served.flatMap((result) => {
              assert.equal(result?.status, 'fulfilled', 'a call of the locked key after it was released');
              return result.value;
            });
            if (subject.guarantees.order.process === 'none') return;
            assertRising(ids, orderOf(subject), 'ids of the key that was locked, in the order of its calls');
          } finally {
            await release();
          }
        },
        context,
      );
    },
  },
];
