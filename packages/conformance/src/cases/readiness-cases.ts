import assert from 'node:assert/strict';
import { type Guarantees, isSyncGenerator, type SyncIdGenerator } from '@ids/core';
import { openSubject } from '../subject.js';
import { noteUntested } from '../untested.js';
import { type ConformanceCase, never, withGenerator } from './conformance-case.js';
import { emptiedRounds } from './empty-memory.js';

/** Milliseconds that a synchronous call takes only if it waits for something. */
const NO_WAIT_MS = 100;

export const readinessCases: readonly ConformanceCase[] = [
  {
    name: 'reports its health truthfully',
    skip: never,
    run: async (subject) => {
      const generator = await openSubject(subject.module, await subject.fresh());
      await generator.ready();
      await generator.next();
      const { status, remaining, lastError } = generator.health();
      assert.equal(status, 'ok', 'a generator that serves is ok');
      assert.equal(lastError, undefined, 'a generator whose backends answer has no last error');
      const counted = remaining === undefined || (Number.isSafeInteger(remaining) && remaining >= 0);
      assert.ok(counted, `remaining must be a whole number from 0, got ${remaining}`);
      await generator.close();
      assert.equal(generator.health().status, 'closed', 'a closed generator is closed');
    },
  },
  {
    name: 'serves without waiting once it is ready',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        await generator.ready();
        assert.equal(generator.health().status, 'ok', 'a generator that is ready is ok');
        if (isSyncGenerator(generator)) {
          assert.doesNotThrow(() => generator.nextSync(), 'nextSync() right after ready()');
        }
        await generator.next();
        await generator.ready();
      }),
  },
  {
    name: 'is ready again once its memory ran empty',
    skip: withoutSync,
    run: async (subject) => {
      const rounds = await emptiedRounds(subject);
      for (const [index, { whenReady }] of rounds.entries()) {
        assert.equal(
          whenReady,
          undefined,
          `nextSync() right after ready() number ${index + 1}: ${whenReady}`,
        );
      }
      if (rounds.every(({ remaining }) => remaining !== undefined)) return;
      noteUntested(subject, 'ready() after the memory ran empty', 'it names no number of ids that remain');
    },
  },
  {
    name: 'never waits in nextSync, judged by what remains',
    skip: withoutSync,
    run: async (subject) => {
      const rounds = await emptiedRounds(subject);
      for (const { remaining, given } of rounds) {
        if (remaining === undefined) continue;
        assert.ok(
          given <= remaining,
          `nextSync() gave an id more than the ${remaining} that remained: it must have waited for a backend`,
        );
      }
    },
  },
  {
    name: `never waits in nextSync, judged by ${NO_WAIT_MS} ms`,
    limits: true,
    skip: withoutSync,
    run: async (subject) => {
      const rounds = await emptiedRounds(subject);
      // The shortest: a busy machine can hold up one of them.
      const ms = Math.floor(Math.min(...rounds.map(({ lastCallMs }) => lastCallMs)));
      assert.ok(ms < NO_WAIT_MS, `nextSync() took ${ms} ms at best, and must not wait`);
    },
  },
  {
    name: 'has synchronous calls exactly if it claims them',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const { sync } = subject.guarantees;
        const { nextSync, nextBatchSync } = generator as Partial<SyncIdGenerator>;
        assert.equal(typeof nextSync === 'function', sync, `sync: ${sync} is claimed; nextSync`);
        assert.equal(typeof nextBatchSync === 'function', sync, `sync: ${sync} is claimed; nextBatchSync`);
      }),
  },
];

function withoutSync({ sync }: Guarantees): string | undefined {
  return sync ? undefined : 'synchronous calls are not claimed';
}
