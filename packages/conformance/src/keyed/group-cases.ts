import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Id, KeyedIdGenerator } from '@ids/core';
import { never } from '../cases/conformance-case.js';
import { noteUntested } from '../untested.js';
import { UNITS, zoneWithMidnightIn } from './days.js';
import { type KeyedConformanceCase, withFamily } from './keyed-case.js';

/** How long before its midnight a day is looked at, in seconds. */
const SOON = 4;
/** How long the first id of the next day is waited for, and the pause between two looks, in milliseconds. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 20;

export const groupCases: readonly KeyedConformanceCase[] = [
  {
    name: 'begins all keys again with a new day, and issues none of the day before from then on',
    skip: never,
    run: async (subject) => {
      const { freshGroup } = subject;
      if (freshGroup === undefined) {
        return noteUntested(subject, 'keys that restart each day', 'the subject has no freshGroup()');
      }
      const { timeZone } = zoneWithMidnightIn(SOON, Date.now());
      const context = await freshGroup.call(subject, { by: 'day', timeZone });
      await withFamily(
        subject,
        (family) => withFamily(subject, (other) => acrossMidnight(family, other), context),
        context,
      );
    },
  },
];

async function acrossMidnight(family: KeyedIdGenerator, other: KeyedIdGenerator): Promise<void> {
  const dayOf = (id: Id): bigint => BigInt(id) / BigInt(UNITS.day.capacity);
  const numberOf = (id: Id): bigint => BigInt(id) % BigInt(UNITS.day.capacity);
  const today = dayOf(await family.next('a'));
  // So that some of them may be held somewhere when their day ends.
  for (const [one, key] of [
    [family, 'b'],
    [other, 'b'],
    [other, 'c'],
  ] as const) {
    assert.equal(dayOf(await one.next(key)), today, 'the day of the first ids: midnight came too early');
  }
  const givesUpAt = performance.now() + PATIENCE_MS;
  let id: Id = 0;
  for (let turn = 0; ; turn++) {
    id = await (turn % 2 === 0 ? other : family).next('a');
    if (dayOf(id) !== today) break;
    assert.ok(performance.now() < givesUpAt, 'no id of a new day came');
    await pause(PAUSE_MS);
  }
  const tomorrow = dayOf(id);
  assert.equal(numberOf(id), 1n, 'the number of the first id of a key in a new day');
  for (const [one, key, number] of [
    [family, 'b', 1n],
    [other, 'c', 1n],
    [family, 'c', 2n],
    [other, 'b', 2n],
    [other, 'new', 1n],
  ] as const) {
    const next = await one.next(key);
    assert.equal(dayOf(next), tomorrow, `the day of an id of ${key} after one of a new day was issued`);
    assert.equal(numberOf(next), number, `the number of an id of ${key} in a new day`);
  }
}
