import assert from 'node:assert/strict';
import { HOSTILE_KEYS, NO_KEYS, TOO_LONG } from '../keyed/hostile-keys.js';
import { shown } from '../keyed/keyed-case.js';
import { assertRefused } from '../segment-source/opened-source.js';
import {
  type AnsweredKey,
  FAMILY,
  type OpenKeyedSource,
  reserve,
  reserveOne,
  withFamily,
} from './opened-keyed-source.js';

/** One requirement on every source of keys, as data, for any runner. */
export interface KeyedSourceCase {
  /** What it checks, as a sentence about a source. */
  readonly name: string;
  /** Whether it locks a key. */
  readonly locks?: true;
  /** Whether it is about families whose keys restart in each day, month or year. */
  readonly groups?: true;
  /** Rejects, with an `AssertionError` if the requirement is not met. */
  run(open: OpenKeyedSource): Promise<void>;
}

/** The last id, 2^53 - 1. */
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** How many keys one call has at most, as the keyed generators call it. */
const MOST_KEYS = 500;

export const keySourceCases: readonly KeyedSourceCase[] = [
  {
    name: 'starts keys after their family, and startAfter of the first request above that',
    async run(open) {
      const { source } = await withFamily(open, 100);
      const first = await reserve(source, [
        { key: 'b', size: 3 },
        { key: 'a', size: 1, startAfter: 500 },
        { key: 'c', size: 2, startAfter: 5 },
      ]);
      const begun = [103, 601, 107].map((high) => ({ high, isNew: true }));
      assert.deepEqual(first, begun, 'the first ids of three keys');
      const second = await reserve(source, [{ key: 'a', size: 2, startAfter: 900 }]);
      assert.deepEqual(second, [{ high: 603, isNew: false }], 'a second request with startAfter');
      const { maxId } = await source.describe(FAMILY);
      assert.equal(maxId, 100, 'maxId of the family after keys began');
    },
  },
  {
    name: 'answers in the order of the requests, also for 500 keys',
    async run(open) {
      const { source } = await withFamily(open);
      const sizes = Array.from({ length: MOST_KEYS }, (_, i) => 1 + ((i * 7) % 11));
      const requests = sizes.map((size, i) => ({ key: `k${(i * 37) % MOST_KEYS}`, size }));
      const answers = await reserve(source, requests);
      assert.deepEqual(
        answers.map((answer) => ('high' in answer ? answer.high : 0)),
        sizes,
        'the last ids of 500 new keys',
      );
      const again = await reserve(source, requests.toReversed());
      assert.deepEqual(
        again.map((answer) => ('high' in answer ? answer.high : 0)),
        sizes.toReversed().map((size) => 2 * size),
        'the last ids of 500 keys, in the opposite order',
      );
    },
  },
  {
    name: 'reserves above a floor, and leaves a key alone that stands higher',
    async run(open) {
      const { source } = await withFamily(open, 10);
      await reserveOne(source, { key: 'used', size: 1 });
      for (const key of ['used', 'new']) {
        const high = await reserveOne(source, { key, size: 5, floor: 1_000 });
        assert.ok(high - 5 >= 1_000, `the ids up to ${high} of a ${key} key, with a floor of 1000`);
        const next = await reserveOne(source, { key, size: 5, floor: 3 });
        assert.equal(next, high + 5, `the ids of a ${key} key after that, with a floor of 3`);
      }
    },
  },
  {
    name: 'lets at most so many keys begin as it is told, the first ones, and serves those that have begun',
    async run(open) {
      const { source } = await withFamily(open);
      await reserveOne(source, { key: 'c', size: 1 });
      const requests = ['e', 'd', 'c', 'b', 'a'].map((key) => ({ key, size: 1 }));
      for (const [newKeys, begin, wait] of [
        [0, '', 'e d b a'],
        [2, 'e d', 'b a'],
        [1, 'b', 'a'],
      ] as const) {
        const answers = await reserve(source, requests, { newKeys });
        const keysOf = (is: (answer: AnsweredKey) => boolean): string =>
          requests.flatMap(({ key }, at) => (is(answers[at] as AnsweredKey) ? [key] : [])).join(' ');
        const begun = keysOf((answer) => 'high' in answer && answer.isNew);
        const missed = keysOf((answer) => 'missed' in answer && answer.missed === 'new');
        assert.equal(begun, begin, `keys that began, where ${newKeys} may`);
        assert.equal(missed, wait, `keys that may not begin, where ${newKeys} may`);
        assert.ok('high' in (answers[2] ?? {}), 'a key that has begun before');
      }
    },
  },
  {
    name: 'refuses a key that is used up, alone, and serves all others of the call',
    async run(open) {
      const { source } = await withFamily(open);
      await reserveOne(source, { key: 'full', size: 1, startAfter: LAST_ID - 2 });
      await reserveOne(source, { key: 'used', size: 1 });
      const requests = [
        { key: 'new and full', size: 2, startAfter: LAST_ID - 1 },
        { key: 'used', size: 2 },
        { key: 'full', size: 2 },
        { key: 'new', size: 2 },
      ];
      const answers = await reserve(source, requests);
      for (const [i, expected] of [
        [1, { high: 3, isNew: false }],
        [3, { high: 2, isNew: true }],
      ] as const) {
        assert.deepEqual(answers[i], expected, `${requests[i]?.key}, beside keys that are used up`);
      }
      for (const request of requests.filter((_, i) => i % 2 === 0)) {
        assert.ok(!('high' in (answers[requests.indexOf(request)] ?? {})), `ids of ${request.key}`);
        // Why it got none may be answered when it is asked for alone.
        const [alone] = await reserve(source, [request], { wait: true });
        const code = alone !== undefined && 'refused' in alone ? Object(alone.refused).code : alone;
        assert.equal(code, 'ERR_IDS_EXHAUSTED', `the answer for ${request.key} alone`);
      }
      const [last] = await reserve(source, [{ key: 'full', size: 1 }]);
      assert.deepEqual(last, { high: LAST_ID, isNew: false }, 'the last id of a key');
    },
  },
  {
    name: 'reserves many ids exactly, across 2^31, 2^32 and 10^15',
    async run(open) {
      const { source } = await withFamily(open);
      for (const edge of [2 ** 31, 2 ** 32, 10 ** 15]) {
        const key = `across ${edge}`;
        const across = await reserveOne(source, { key, size: 5, startAfter: edge - 3 });
        assert.equal(across, edge + 2, `the last id ${key}`);
        const behind = await reserveOne(source, { key, size: 1_000_000_000 });
        assert.equal(behind, edge + 1_000_000_002, `the last of 10^9 ids behind ${edge}`);
        assert.equal(await source.highest(FAMILY, key), behind, `the highest id behind ${edge}`);
      }
    },
  },
  {
    name: 'keeps apart keys that differ in any byte',
    async run(open) {
      const { source } = await withFamily(open);
      const all = () =>
        reserve(
          source,
          HOSTILE_KEYS.map((key, i) => ({ key, size: i + 1 })),
        );
      for (const times of [1, 2]) {
        const answers = await all();
        for (const [i, answer] of answers.entries()) {
          const expected: AnsweredKey = { high: times * (i + 1), isNew: times === 1 };
          assert.deepEqual(answer, expected, `request ${times} for the key ${shown(HOSTILE_KEYS[i])}`);
        }
      }
      for (const [i, key] of HOSTILE_KEYS.entries()) {
        assert.equal(await source.highest(FAMILY, key), 2 * (i + 1), `the highest id of ${shown(key)}`);
      }
    },
  },
  {
    name: 'refuses keys of more than 255 bytes, and what is no well-formed string',
    async run(open) {
      const { source } = await withFamily(open);
      for (const [keys, kind] of [
        [TOO_LONG, RangeError],
        [NO_KEYS, TypeError],
      ] as const) {
        for (const wrong of keys) {
          const key = wrong as string;
          const requests = [
            { key: 'beside', size: 1 },
            { key, size: 1 },
          ];
          for (const [name, call] of [
            ['reserve', () => reserve(source, requests)],
            ['highest', () => source.highest(FAMILY, key)],
          ] as const) {
            const what = `${name} for the key ${shown(wrong)}`;
            const error = await assertRefused(call, what, {});
            assert.ok(error instanceof kind, `${what} must fail with a ${kind.name}, got: ${error}`);
          }
        }
      }
      assert.equal(await source.highest(FAMILY, 'beside'), undefined, 'a key beside a refused one');
    },
  },
  {
    name: 'keeps families apart, and says that one is missing',
    async run(open) {
      const { source, createFamily } = await withFamily(open);
      await createFamily('other', 500);
      await reserveOne(source, { key: 'a', size: 10 });
      const { keys } = await source.reserve('other', [{ key: 'a', size: 1 }], { wait: false });
      assert.ok(
        keys[0] !== undefined && 'high' in keys[0] && keys[0].high === 501,
        'a key of another family',
      );
      const realms = [await source.describe(FAMILY), await source.describe('other')];
      assert.notEqual(realms[0]?.realm, realms[1]?.realm, 'two families have one realm');
      const missing = { code: 'ERR_IDS_CONFIG' };
      await assertRefused(() => source.describe('missing'), 'describe without a family', missing);
      const call = () => source.reserve('missing', [{ key: 'a', size: 1 }], { wait: false });
      await assertRefused(call, 'reserve without a family', missing);
    },
  },
  {
    name: 'reads the highest id that was reserved, and none of a key without ids',
    async run(open) {
      const { source, other = source } = await withFamily(open, 7);
      assert.equal(await source.highest(FAMILY, 'a'), undefined, 'the highest id before the first');
      await reserve(source, [{ key: 'a', size: 1 }], { newKeys: 0 });
      assert.equal(
        await source.highest(FAMILY, 'a'),
        undefined,
        'the highest id of a key that did not begin',
      );
      const high = await reserveOne(source, { key: 'a', size: 3 });
      assert.equal(await other.highest(FAMILY, 'a'), high, 'the highest id, read by another source');
      assert.equal(await source.highest(FAMILY, 'b'), undefined, 'the highest id of another key');
    },
  },
  {
    name: 'does nothing for a caller that has given up already',
    async run(open) {
      const { source } = await withFamily(open);
      const reason = new Error('given up');
      const signal = AbortSignal.abort(reason);
      const calls = [
        ['reserve', () => reserve(source, [{ key: 'a', size: 10 }], { signal })],
        ['describe', () => source.describe(FAMILY, { signal })],
        ['highest', () => source.highest(FAMILY, 'a', { signal })],
      ] as const;
      for (const [name, call] of calls) {
        const error = await assertRefused(call, `${name} after an abort`, {});
        assert.equal(error, reason, `${name}: the error is the reason of the abort`);
      }
      assert.equal(await source.highest(FAMILY, 'a'), undefined, 'what was reserved after an abort');
    },
  },
];
