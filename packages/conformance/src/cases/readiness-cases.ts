import assert from 'node:assert/strict';
import { isSyncGenerator, type SyncIdGenerator } from '@ids/core';
import { openSubject } from '../subject.js';
import { type ConformanceCase, never, withGenerator } from './conformance-case.js';

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
