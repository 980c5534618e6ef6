import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { type Id, isIdError, type KeyedIdGenerator } from '@ids/core';
import { assertContiguous, assertDistinct, skippedOf } from '../cases/assert-ids.js';
import { never, settledInTime } from '../cases/conformance-case.js';
import { openKeyedSubject } from '../subject.js';
import { type KeyedConformanceCase, manyKeys, take, withFamily } from './keyed-case.js';

export const closeCases: readonly KeyedConformanceCase[] = [
  {
    name: 'settles the calls of all keys when it is closed, and rejects later ones',
    skip: never,
    run: async (subject) => {
      const family = await openKeyedSubject(subject.module, await subject.fresh());
      const [view, keys] = [family.of('view'), manyKeys(20)];
      const calls = keys.flatMap((key) =>
        [1, 30, 1].map((count) => ({ key, ids: take(family, key, count) })),
      );
      const closing = family.close();
      assert.equal(family.health().status, 'closed', 'the status as soon as close() was called');
      const results = await settledInTime<unknown>([...calls.map(({ ids }) => ids), closing, family.close()]);
      const issued = new Map<string, Id[]>();
      for (const [i, result] of results.entries()) {
        const { key = 'close' } = calls[i] ?? {};
        assert.ok(result !== undefined, `a call of ${key} was still pending after close()`);
        if (result.status === 'rejected') assertClosed(result.reason, `a pending call of ${key}`);
        else if (i < calls.length) issued.set(key, [...(issued.get(key) ?? []), ...(result.value as Id[])]);
      }
      for (const [key, ids] of issued) assertDistinct(ids, `ids of pending calls of ${key}`);
      for (const [name, call] of requests(family, view)) {
        const [result] = await settledInTime([(async () => call())()]);
        assert.equal(result?.status, 'rejected', `${name} after close() must fail with ERR_IDS_CLOSED`);
        assertClosed(result.reason, `${name} after close()`);
      }
      await family[Symbol.asyncDispose]();
    },
  },
  {
    name: 'closes nothing else with the view of a key',
    skip: never,
    run: (subject) =>
      withFamily(subject, async (family) => {
        const [view, other] = [family.of('a'), family.of('a')];
        const ids = [await view.next(), await family.next('a'), ...(await other.nextBatch(2))];
        await view.close();
        await view.close();
        assert.equal(view.health().status, 'closed', 'the status of a closed view');
        for (const call of [() => view.next(), () => view.nextBatch(2), () => view.ready()]) {
          const [result] = await settledInTime<unknown>([call()]);
          assert.equal(result?.status, 'rejected', 'a call of a closed view must fail with ERR_IDS_CLOSED');
          assertClosed(result.reason, 'a call of a closed view');
        }
        await setImmediate();
        const after = await settledInTime([family.next('a'), other.next(), family.of('a').next()]);
        for (const result of after) {
          assert.equal(result?.status, 'fulfilled', 'the close of one view broke another call of its key');
          ids.push(result.value);
        }
        assertContiguous(ids, skippedOf(subject), 'ids of one key by its views and without them');
        assert.notEqual(other.health().status, 'closed', 'the status of another view');
      }),
  },
];

function requests(
  family: KeyedIdGenerator,
  view: ReturnType<KeyedIdGenerator['of']>,
): [name: string, call: () => unknown][] {
  return [
    ['next', () => family.next('a')],
    ['next of a new key', () => family.next('new')],
    ['nextBatch', () => family.nextBatch('a', 3)],
    ['highest', () => family.highest('a')],
    ['ready', () => family.ready()],
    ['next of a view', () => view.next()],
  ];
}

function assertClosed(error: unknown, what: string): void {
  assert.ok(
    isIdError(error) && error.code === 'ERR_IDS_CLOSED',
    `${what} must fail with ERR_IDS_CLOSED, got: ${error}`,
  );
}
