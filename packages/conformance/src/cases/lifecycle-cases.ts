import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { type Id, type IdGenerator, isIdError, isSyncGenerator } from '@ids/core';
import { type ConformanceSubject, openSubject } from '../subject.js';
import { assertDistinct } from './assert-ids.js';
import { type ConformanceCase, never, settledInTime, withGenerator } from './conformance-case.js';

export const lifecycleCases: readonly ConformanceCase[] = [
  {
    name: 'closes once, however often close is called',
    skip: never,
    run: async (subject) => {
      const generator = await opened(subject);
      await generator.next();
      const together = await settledInTime([generator.close(), generator.close()]);
      const [later] = await settledInTime([generator.close()]);
      for (const [index, result] of [...together, later].entries()) {
        const outcome = result?.status === 'rejected' ? result.reason : result?.status;
        assert.equal(
          outcome,
          'fulfilled',
          `close() number ${index + 1} did not resolve: ${outcome ?? 'pending'}`,
        );
      }
    },
  },
  {
    name: 'closes at the end of an `await using` block',
    skip: never,
    run: async (subject) => {
      const generator = await opened(subject);
      await generator.next();
      await generator[Symbol.asyncDispose]();
      assert.equal(generator.health().status, 'closed');
      await assert.rejects(generator.next(), hasCode('next', 'ERR_IDS_CLOSED'));
    },
  },
  {
    name: 'rejects every call after close',
    skip: never,
    run: async (subject) => {
      const generator = await opened(subject);
      await generator.ready();
      await generator.close();
      for (const [name, call] of requests(generator)) {
        await assert.rejects(async () => call(), hasCode(name, 'ERR_IDS_CLOSED'));
      }
    },
  },
  {
    name: 'rejects calls that are made while it closes',
    skip: never,
    run: async (subject) => {
      const generator = await opened(subject);
      await generator.ready();
      const before = settledInTime<unknown>([generator.next(), generator.nextBatch(50)]);
      const closing = settledInTime([generator.close()]);
      assert.equal(generator.health().status, 'closed', 'the status as soon as close() was called');
      const outcomes = outcomesOf(generator);
      await setImmediate();
      outcomes.push(...outcomesOf(generator));
      for (const { name, settled } of outcomes) {
        const [result] = await settledInTime([settled]);
        assert.equal(result?.status, 'rejected', `${name} must fail with ERR_IDS_CLOSED while it closes`);
        hasCode(`${name}, while it closes,`, 'ERR_IDS_CLOSED')(result.reason);
      }
      await Promise.all([before, closing]);
    },
  },
  {
    name: 'settles the calls that are pending when it is closed',
    skip: never,
    run: async (subject) => {
      const generator = await opened(subject);
      const calls = Array.from({ length: 40 }, (_, call) =>
        call % 4 === 0 ? generator.nextBatch(50) : generator.next().then((id) => [id]),
      );
      const settled = settledInTime([
        ...calls,
        generator.ready().then((): Id[] => []),
        generator.close().then((): Id[] => []),
      ]);
      const ids: Id[] = [];
      for (const [call, result] of (await settled).entries()) {
        assert.ok(
          result !== undefined,
          `call ${call} of ${calls.length + 2} was still pending after close()`,
        );
        if (result.status === 'fulfilled') {
          const asked = call >= calls.length ? 0 : call % 4 === 0 ? 50 : 1;
          const got = result.value.filter((id) => id !== undefined).length;
          assert.equal(got, asked, `pending call ${call} asked for ${asked} ids and got ${got}`);
          ids.push(...result.value);
        } else hasCode(`pending call ${call}`, 'ERR_IDS_CLOSED')(result.reason);
      }
      assertDistinct(ids, 'ids of calls that were pending');
    },
  },
  {
    name: 'fails with errors that carry a code and say whether to retry',
    skip: never,
    run: async (subject) => {
      const generator = await opened(subject);
      if (isSyncGenerator(generator)) assertNotReady(generator.nextSync.bind(generator));
      await generator.close();
      for (const [name, call] of requests(generator)) {
        const [result] = await Promise.allSettled([(async () => call())()]);
        assert.equal(result?.status, 'rejected', `${name} after close()`);
        assertIdError(result.reason, name);
        assert.equal(result.reason.retryable, false, `${name}: no retry opens a closed generator`);
      }
    },
  },
  {
    name: 'leaves another generator on the same set-up alone when it closes',
    skip: never,
    run: async (subject) => {
      const context = await subject.fresh();
      await withGenerator(
        subject,
        async (other) => {
          const generator = await openSubject(subject.module, context);
          const before = [await generator.next(), await other.next()];
          await generator.close();
          const [next] = await settledInTime([other.nextBatch(2_000)]);
          assert.equal(next?.status, 'fulfilled', 'closing one generator broke another');
          assertDistinct([...before, ...next.value], 'ids around the close of another generator');
        },
        context,
      );
    },
  },
];

async function opened(subject: ConformanceSubject): Promise<IdGenerator> {
  return openSubject(subject.module, await subject.fresh());
}

function requests(generator: IdGenerator): [name: string, call: () => unknown][] {
  const calls: [string, () => unknown][] = [
    ['next', () => generator.next()],
    ['nextBatch', () => generator.nextBatch(3)],
    ['ready', () => generator.ready()],
  ];
  if (isSyncGenerator(generator)) {
    calls.push(['nextSync', () => generator.nextSync()], ['nextBatchSync', () => generator.nextBatchSync(3)]);
  }
  return calls;
}

/** All calls, made now. */
function outcomesOf(generator: IdGenerator): { name: string; settled: Promise<unknown> }[] {
  return requests(generator).map(([name, call]) => {
    const settled = (async () => call())();
    settled.catch(() => undefined);
    return { name, settled };
  });
}

function hasCode(call: string, code: string): (error: unknown) => true {
  return (error) => {
    assert.equal(Object(error).code, code, `${call} must fail with ${code}, got: ${error}`);
    return true;
  };
}

function assertNotReady(nextSync: () => Id): void {
  try {
    nextSync();
  } catch (error) {
    assertIdError(error, 'nextSync on a cold generator');
    assert.equal(error.code, 'ERR_IDS_NOT_READY');
    assert.equal(error.retryable, true, 'nextSync on a cold generator: ready() mends that');
  }
}

function assertIdError(
  error: unknown,
  call: string,
): asserts error is Error & { code: string; retryable: boolean } {
  assert.ok(error instanceof Error, `${call} failed with something that is no Error: ${error}`);
  assert.ok(isIdError(error), `${call} failed with something that is no IdError: ${error}`);
  assert.equal(typeof error.retryable, 'boolean', `${call}: retryable`);
  assert.notEqual(error.message, '', `${call}: an error without a message`);
}
