import assert from 'node:assert/strict';
import { settledInTime } from '../cases/conformance-case.js';
import type { KeyedSourceCase } from './key-source-cases.js';
import {
  type AnsweredKey,
  FAMILY,
  type KeyedSourceCalls,
  reserve,
  reserveOne,
  withFamily,
} from './opened-keyed-source.js';

/** How long a call may wait, in milliseconds: far more than it needs, unless two wait for each other. */
const PATIENCE_MS = 8_000;
/** How long a call of a locked key waits. */
const SHORT_MS = 400;

const KEYS = Array.from({ length: 12 }, (_, i) => `k${i}`);
const ROUNDS = 12;

export const concurrentSourceCases: readonly KeyedSourceCase[] = [
  {
    name: 'reserves each id once for calls with the same keys in opposite orders, and loses none',
    async run(open) {
      const { source, other = source } = await withFamily(open);
      const highs = new Map<string, number[]>(KEYS.map((key) => [key, []]));
      const callers = [source, other, source, other].map((calls, i) =>
        callInTurns(calls, i % 2 === 0 ? KEYS : KEYS.toReversed(), i >= 2, highs),
      );
      for (const result of await Promise.allSettled(callers)) {
        assert.equal(result.status, 'fulfilled', `a caller failed: ${Object(result).reason}`);
      }
      for (const [key, found] of highs) {
        const expected = found.map((_, i) => 2 * (i + 1));
        const sorted = found.toSorted((a, b) => a - b);
        assert.deepEqual(sorted, expected, `the ends of the reservations of ${key}, two ids each`);
      }
    },
  },
  {
    name: 'answers for a locked key at once, beside new, limited, used up and other keys of the call',
    locks: true,
    async run(open) {
      const { source, lock } = await withFamily(open);
      assert.ok(lock !== undefined, 'it has no lock(): "cannotLock" must say so');
      const last = Number.MAX_SAFE_INTEGER;
      await reserveOne(source, { key: 'full', size: 1, startAfter: last - 1 });
      for (const key of ['held', 'used']) await reserveOne(source, { key, size: 1 });
      const unlock = await lock(FAMILY, 'held');
      const requests = ['new', 'full', 'held', 'used', 'newer'].map((key) => ({ key, size: 1 }));
      const [result] = await settledInTime([reserve(source, requests, { newKeys: 1 })]);
      await unlock();
      assert.equal(result?.status, 'fulfilled', 'a call with a locked key, which waits for nothing');
      const [one, full, held, used, newer] = result.value;
      assert.deepEqual(held, { missed: 'locked' }, 'the answer for the locked key');
      assert.deepEqual(used, { high: 2, isNew: false }, 'the answer for a key that has begun');
      assert.ok(full !== undefined && !('high' in full), 'ids of a key that is used up');
      assert.deepEqual(
        [one, newer].map((answer) => (answer && 'high' in answer ? 'begun' : answer)).sort(),
        ['begun', { missed: 'new' }].sort(),
        'two new keys, one of which may begin',
      );
      assert.equal(await reserveOne(source, { key: 'held', size: 1 }), 2, 'the next id of the locked key');
    },
  },
  {
    name: 'waits for a locked key when it is told to, and reserves nothing once that took too long',
    locks: true,
    async run(open) {
      const { source, lock } = await withFamily(open);
      assert.ok(lock !== undefined, 'it has no lock(): "cannotLock" must say so');
      await reserveOne(source, { key: 'held', size: 1 });
      const unlock = await lock(FAMILY, 'held');
      const options = { wait: true, timeoutMs: SHORT_MS };
      const [late] = await settledInTime([reserve(source, [{ key: 'held', size: 5 }], options)]);
      let arrived = false;
      const waiting = reserve(source, [{ key: 'held', size: 3 }], {
        wait: true,
        timeoutMs: PATIENCE_MS,
      }).then((answers) => {
        arrived = true;
        return answers;
      });
      void Promise.allSettled([waiting]);
      await reserveOne(source, { key: 'other', size: 1 });
      const early = arrived;
      await unlock();
      assert.ok(
        late !== undefined,
        'a call that waits for a locked key is still pending after its time limit',
      );
      const code = late.status === 'rejected' ? late.reason?.code : missedOf(late.value[0]);
      assert.ok(['ERR_IDS_TIMEOUT', 'locked'].includes(code), `what became of a call that waited: ${code}`);
      assert.equal(early, false, 'a call got ids of the locked key: it was not locked');
      const [answer] = await waiting;
      assert.deepEqual(answer, { high: 4, isNew: false }, 'the ids after the lock, three behind the first');
    },
  },
];

/** Two ids of each key in each round, of those that are missed in another call, alone. */
async function callInTurns(
  source: KeyedSourceCalls,
  keys: readonly string[],
  wait: boolean,
  highs: ReadonlyMap<string, number[]>,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    let left: readonly string[] = keys;
    for (let attempt = 1; left.length > 0; attempt++) {
      assert.ok(attempt < 100, `${left} are missed again and again`);
      const requests = (attempt === 1 ? left : left.slice(0, 1)).map((key) => ({ key, size: 2 }));
      const options = { wait: wait || attempt > 1, timeoutMs: PATIENCE_MS };
      const answers = await reserve(source, requests, options);
      const missed = left.filter((_, i) => answers[i] !== undefined && !('high' in answers[i]));
      for (const [i, answer] of answers.entries()) {
        if ('high' in answer) highs.get(left[i] ?? '')?.push(answer.high);
      }
      left = [...missed, ...left.slice(answers.length)];
    }
  }
}

function missedOf(answer: AnsweredKey | undefined): string {
  return answer !== undefined && 'missed' in answer ? answer.missed : JSON.stringify(answer);
}
