import assert from 'node:assert/strict';
import { baseAt, DAY_MS, UNITS, zoneWithMidnightIn } from '../keyed/days.js';
import type { KeyedSourceCase } from './key-source-cases.js';
import {
  type AnsweredKey,
  FAMILY,
  type KeyedSourceCalls,
  type OpenedKeyedSource,
  type OpenKeyedSource,
  reserve,
  reserveExpiring,
  reserveOne,
  withFamily,
} from './opened-keyed-source.js';

/** How long before its midnight a day is looked at, in seconds: enough for a few calls. */
const SOON = 4;
const NOT_SOON = 40_000;
/** How long the first id of the next day is waited for, in milliseconds. */
const PATIENCE_MS = 10_000;

export const groupSourceCases: readonly KeyedSourceCase[] = [
  {
    name: 'begins each key anew at midnight by the clock of the store, and lets no id outlive its day',
    groups: true,
    async run(open) {
      const day = await openDay(open, SOON);
      const { source, other = source, today, tomorrow } = day;
      const [a, b] = await reserveDay(source, [
        { key: 'a', size: 2 },
        { key: 'b', size: 1, startAfter: 500 },
      ]);
      assert.deepEqual([a?.high, b?.high], [today + 2, today + 501], 'the first ids of two keys');
      let [high, expiresAt] = [today + 2, a?.expiresAt ?? 0];
      const givesUpAt = performance.now() + PATIENCE_MS;
      for (let turn = 0; ; turn++) {
        const [next] = await reserveDay(turn % 2 === 0 ? other : source, [{ key: 'a', size: 1 }]);
        if (next.high > tomorrow) {
          assert.equal(next.high, tomorrow + 1, 'the first id of a key in a new day');
          break;
        }
        assert.equal(next.high, high + 1, 'the next id of a key in the same day');
        assert.ok(performance.now() < givesUpAt, 'no first id of a key in a new day came');
        [high, expiresAt] = [next.high, Math.max(expiresAt, next.expiresAt)];
      }
      const arrivedAt = performance.now();
      assert.ok(expiresAt <= arrivedAt, 'ids of a day live on after the first one of the next');
      const later = await reserve(source, [
        { key: 'c', size: 3 },
        { key: 'b', size: 3, startAfter: 500, floor: today + 501 },
      ]);
      assert.deepEqual(
        later.map((answer) => 'high' in answer && answer.high),
        [tomorrow + 3, tomorrow + 3],
        'a new key, and one of the day before, in a new day',
      );
      assert.equal(await source.highest(FAMILY, 'a'), tomorrow + 1, 'the highest id in a new day');
      assert.equal((await source.describe(FAMILY)).maxId, 0, 'maxId of the family after a day');
    },
  },
  {
    name: 'counts in months and years as well',
    groups: true,
    async run(open) {
      const opened = await open();
      for (const by of ['month', 'year'] as const) {
        const zone = zoneWithMidnightIn(NOT_SOON, await nowOf(opened));
        await opened.createFamily(by, 0, { by, timeZone: zone.timeZone });
        const first = baseAt({ by, timeZone: zone.timeZone }, await nowOf(opened), zone.offsetMs);
        for (const high of [first + 5, first + 10]) {
          const { keys } = await opened.source.reserve(by, [{ key: 'a', size: 5 }], { wait: true });
          const [answer] = keys;
          assert.equal(answer && 'high' in answer && answer.high, high, `ids of a key in a ${by}`);
        }
      }
    },
  },
  {
    name: 'ends with the last number of a day, for that key alone',
    groups: true,
    async run(open) {
      const { source, today } = await openDay(open, NOT_SOON);
      const last = today + UNITS.day.capacity - 1;
      await reserveOne(source, { key: 'full', size: 1, startAfter: UNITS.day.capacity - 4 });
      const requests = [
        { key: 'full', size: 3 },
        { key: 'never', size: 1, startAfter: UNITS.day.capacity },
        { key: 'other', size: 3 },
      ];
      const [full, never, other] = await reserve(source, requests);
      assert.deepEqual(other, { high: today + 3, isNew: true }, 'a key beside two that are used up');
      for (const [answer, request] of [
        [full, requests[0]],
        [never, requests[1]],
      ] as const) {
        const what = `a key with too few ids left in its day: ${request?.key}`;
        assert.ok(answer !== undefined && !('high' in answer), `${what} got some`);
        // Why it got none may be answered when it is asked for alone.
        const alone = request && (await reserve(source, [request], { wait: true }));
        assert.equal(codeOf(alone?.[0]), 'ERR_IDS_EXHAUSTED', what);
      }
      assert.equal(await source.highest(FAMILY, 'never'), undefined, 'a key that would begin tomorrow');
      assert.equal(await reserveOne(source, { key: 'full', size: 2 }), last, 'the last id of a day');
    },
  },
  {
    name: 'goes on in a day that the clock of the store is just before, and in no later one',
    groups: true,
    async run(open) {
      const { source, today, tomorrow } = await openDay(open, 30);
      const early = await reserveOne(source, { key: 'early', size: 1, floor: tomorrow + 3 });
      assert.ok(early > tomorrow + 3, 'an id above a floor of tomorrow');
      assert.equal(await reserveOne(source, { key: 'early', size: 1 }), early + 1, 'an id after it');
      const requests = [
        { key: 'wrong', size: 1, floor: today + 99 * UNITS.day.capacity },
        { key: 'right', size: 1 },
      ];
      const [wrong, right] = await reserve(source, requests);
      assert.deepEqual(right, { high: today + 1, isNew: true }, 'a key beside one that is far ahead');
      assert.ok(wrong !== undefined && !('high' in wrong), 'ids of a day that has not begun');
      const alone = await reserve(source, requests.slice(0, 1), { wait: true });
      assert.equal(codeOf(alone[0]), 'ERR_IDS_CLOCK', 'a key in a day that has not begun');
    },
  },
];

interface OpenedDay extends OpenedKeyedSource {
  /** The ids before the first ones of these days. */
  readonly today: number;
  readonly tomorrow: number;
}

/** A family with days, of which one ends in so many seconds. */
async function openDay(open: OpenKeyedSource, seconds: number): Promise<OpenedDay> {
  const opened = await open();
  const now = await nowOf(opened);
  const { timeZone, offsetMs } = zoneWithMidnightIn(seconds, now);
  const group = { by: 'day', timeZone } as const;
  await withFamily(async () => opened, 0, group);
  return {
    ...opened,
    today: baseAt(group, now, offsetMs),
    tomorrow: baseAt(group, now + DAY_MS, offsetMs),
  };
}

async function nowOf({ now }: OpenedKeyedSource): Promise<number> {
  return now === undefined ? Date.now() : now();
}

/** What was reserved of keys, all of which must get some, with the times of their ends. */
async function reserveDay(
  source: KeyedSourceCalls,
  requests: Parameters<typeof reserve>[1],
): Promise<[ExpiringKey, ...ExpiringKey[]]> {
  const sentAt = performance.now();
  const answers = await reserveExpiring(source, requests, { wait: true });
  return answers.map((answer) => {
    assert.ok('high' in answer, `no ids: ${JSON.stringify(answer)}`);
    const { high, expiresAt } = answer;
    assert.ok(expiresAt !== undefined, 'ids of a day say nothing about its end');
    const arrivedAt = performance.now();
    // Early by at most one round trip, and by what clocks leave out that show whole milliseconds.
    const least = sentAt - (arrivedAt - sentAt) - 2;
    const lives = expiresAt > least && expiresAt < arrivedAt + DAY_MS;
    assert.ok(lives, `ids of a day expire in ${expiresAt - sentAt} ms`);
    return { high, expiresAt };
  }) as [ExpiringKey, ...ExpiringKey[]];
}

interface ExpiringKey {
  readonly high: number;
  readonly expiresAt: number;
}

function codeOf(answer: AnsweredKey | undefined): unknown {
  return answer !== undefined && 'refused' in answer ? Object(answer.refused).code : answer;
}
