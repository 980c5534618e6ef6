import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Id, IdGenerator, RequestOptions } from '@ids/core';
import { assertDistinct, assertRising, orderOf } from './assert-ids.js';
import { type ConformanceCase, never, settledInTime, withGenerator } from './conformance-case.js';

export const abortCases: readonly ConformanceCase[] = [
  {
    name: 'rejects with the reason of a signal that was aborted before the call',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const reason = { why: 'the caller changed its mind' };
        for (const [name, call] of requests(generator)) {
          const [result] = await Promise.allSettled([call({ signal: AbortSignal.abort(reason) })]);
          assert.equal(result?.status, 'rejected', `${name} continued despite its signal`);
          assert.equal(result.reason, reason, `${name} rejected with another reason`);
        }
        await generator.next();
      }),
  },
  {
    name: 'serves the other callers when one of them aborts',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        // The generator is cold: one that must fetch has all of these calls waiting when the signal fires.
        const controller = new AbortController();
        const reason = new Error('the caller changed its mind');
        const aborts = (call: number): boolean => call % 5 === 2;
        const calls = Array.from({ length: 40 }, (_, call) => {
          const options = aborts(call) ? { signal: controller.signal } : {};
          return call % 4 === 0
            ? generator.nextBatch(3, options)
            : generator.next(options).then((id) => [id]);
        });
        controller.abort(reason);
        const results = await settledInTime(calls);
        const ids: Id[] = [];
        for (const [call, result] of results.entries()) {
          assert.ok(result !== undefined, `call ${call} did not settle after another was aborted`);
          if (result.status === 'fulfilled') {
            assert.equal(result.value.length, call % 4 === 0 ? 3 : 1, `call ${call} got too few ids`);
            ids.push(...result.value);
          }
          if (result.status === 'fulfilled') continue;
          if (aborts(call)) assert.equal(result.reason, reason, `call ${call} rejected with another reason`);
          else assert.fail(`call ${call} failed because another was aborted: ${result.reason}`);
        }
        ids.push(await generator.next(), ...(await generator.nextBatch(100)));
        assertDistinct(ids, 'ids around an abort');
        if (subject.guarantees.order.process === 'none') return;
        assertRising(ids, orderOf(subject), 'ids around an abort');
      }),
  },
  {
    name: 'leaves no listener on a signal once the call has settled',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const { signal } = new AbortController();
        for (const [, call] of requests(generator))
          await Promise.all(Array.from({ length: 5 }, () => call({ signal })));
        await setImmediate();
        assert.equal(
          getEventListeners(signal, 'abort').length,
          0,
          'listeners would accumulate on a long-lived signal',
        );
      }),
  },
];

function requests(generator: IdGenerator): [name: string, (options: RequestOptions) => Promise<unknown>][] {
  return [
    ['ready', (options) => generator.ready(options)],
    ['next', (options) => generator.next(options)],
    ['nextBatch', (options) => generator.nextBatch(3, options)],
  ];
}
