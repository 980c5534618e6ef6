import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Id, IdGenerator, RequestOptions } from '@ids/core';
import { noteUntested } from '../untested.js';
import { assertDistinct, assertRising, countSkipped, orderOf, skippedOf } from './assert-ids.js';
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
    name: 'rejects a call that waits as soon as its signal aborts',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        let waited = 0;
        // Cold, then warm: a generator that asks a backend for each id waits each time.
        for (let round = 0; round < 2; round++) {
          waited += await abortWaitingCalls(generator);
          await generator.ready();
          await generator.next();
        }
        if (waited > 0) return;
        noteUntested(subject, 'a signal that aborts while a call waits', 'no call of this run had to wait');
      }),
  },
  {
    name: 'skips no more numbers than aborted calls asked for',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const ids: Id[] = [];
        let asked = 0;
        for (let round = 0; round < 3; round++) {
          const controller = new AbortController();
          const signals = [{}, { signal: controller.signal }, { signal: AbortSignal.abort() }];
          const calls = Array.from({ length: 30 }, (_, call) => {
            const ids = takeOneOrMore(generator, call % 4 === 0 ? 3 : 1, signals[call % 3] ?? {});
            // A signal that was aborted before asks for nothing.
            return { ids, count: call % 3 === 2 ? 0 : call % 4 === 0 ? 3 : 1 };
          });
          controller.abort();
          const results = await settledInTime(calls.map((call) => call.ids));
          for (const [call, result] of results.entries()) {
            if (result?.status === 'fulfilled') ids.push(...result.value);
            else asked += calls[call]?.count ?? 0;
          }
          ids.push(await generator.next());
        }
        const skipped = countSkipped(ids, skippedOf(subject), 'around aborted calls');
        assert.ok(
          skipped <= BigInt(asked),
          `${skipped} numbers were skipped around aborted calls, which had asked for ${asked}`,
        );
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
          return takeOneOrMore(generator, call % 4 === 0 ? 3 : 1, options);
        });
        controller.abort(reason);
        const results = await settledInTime(calls);
        const ids: Id[] = [];
        for (const [call, result] of results.entries()) {
          assert.ok(result !== undefined, `call ${call} did not settle after another was aborted`);
          if (result.status === 'fulfilled') {
            assert.equal(result.value.length, call % 4 === 0 ? 3 : 1, `call ${call} got too few ids`);
            ids.push(...result.value);
          } else if (aborts(call))
            assert.equal(result.reason, reason, `call ${call} rejected with another reason`);
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
        assert.deepEqual(getEventListeners(signal, 'abort'), [], 'listeners would accumulate on a signal');
      }),
  },
];

/** `count` ids by `nextBatch`, or one by `next`. */
async function takeOneOrMore(
  generator: IdGenerator,
  count: number,
  options: RequestOptions,
): Promise<readonly Id[]> {
  return count === 1 ? [await generator.next(options)] : generator.nextBatch(count, options);
}

/** How many promise reactions a call may pass through before it counts as waiting for something else. */
const REACTIONS = 100;

/**
 * Aborts calls while they wait, and returns how many did. Nothing but promises runs between the calls and the
 * abort: a call that is pending then waits for I/O or a timer, which cannot have been there yet.
 */
async function abortWaitingCalls(generator: IdGenerator): Promise<number> {
  const controller = new AbortController();
  const reason = { why: 'the caller changed its mind' };
  const calls = requests(generator).map(([name, call]) => {
    const outcome: { name: string; result?: PromiseSettledResult<unknown> } = { name };
    void Promise.allSettled([call({ signal: controller.signal })]).then(([result]) => {
      outcome.result = result;
    });
    return outcome;
  });
  for (let reaction = 0; reaction < REACTIONS; reaction++) await undefined;
  const waiting = calls.filter(({ result }) => result === undefined);
  controller.abort(reason);
  await setImmediate();
  for (const { name, result } of waiting) {
    assert.ok(result !== undefined, `${name} was still waiting after its signal had aborted`);
    assert.equal(
      result.status,
      'rejected',
      `${name} went on although its signal had aborted while it waited`,
    );
    assert.equal(result.reason, reason, `${name} rejected with another reason`);
  }
  return waiting.length;
}

function requests(generator: IdGenerator): [name: string, (options: RequestOptions) => Promise<unknown>][] {
  return [
    ['ready', (options) => generator.ready(options)],
    ['next', (options) => generator.next(options)],
    ['nextBatch', (options) => generator.nextBatch(3, options)],
  ];
}
