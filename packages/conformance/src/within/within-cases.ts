import assert from 'node:assert/strict';
import type { IdGenerator } from '@ids/core';
import type { WithinCaller, WithinSeries } from './within-subject.js';

/** What numbers in the transaction of their caller must do. It fails with an `AssertionError`. */
export interface WithinCase {
  readonly name: string;
  /** Whether it needs transactions that write at the same time. */
  readonly severalWriters?: true;
  readonly run: (open: () => Promise<WithinSeries>) => Promise<void>;
}

const KEY = 'acme';

/** Issues a document in a transaction of its own, and resolves with its number. */
async function issue(caller: WithinCaller, key = KEY): Promise<number> {
  await caller.begin();
  const number = await caller.next(key);
  await caller.write(key, number);
  await caller.commit();
  return number;
}

/** Throws unless the documents of a key are 1, 2, 3 and so on, without a gap and each once. */
async function assertGapless(series: WithinSeries, key = KEY): Promise<void> {
  const numbers = (await series.documents(key)).sort((a, b) => a - b);
  for (const [index, number] of numbers.entries()) {
    const before = numbers[index - 1] ?? 0;
    assert.notEqual(number, before, `number ${number} of "${key}" is on two documents`);
    assert.equal(number, before + 1, `after number ${before} of "${key}" comes ${number}: a gap`);
  }
}

/** The numbers of calls at once, of which some are aborted, and all are pending when the generator closes. */
async function callAtOnce(generator: IdGenerator<number>): Promise<number[]> {
  const numbers = [await generator.next()];
  const controller = new AbortController();
  const calls = Array.from({ length: 12 }, async (_, call) => {
    // The first of them is on its way when its signal aborts; the others wait for their turn.
    const options = call % 3 === 0 ? { signal: controller.signal } : {};
    return call % 4 === 0 ? await generator.nextBatch(3, options) : [await generator.next(options)];
  });
  controller.abort();
  const closing = generator.close();
  for (const result of await Promise.allSettled(calls)) {
    if (result.status === 'fulfilled') numbers.push(...result.value);
    else assert.equal(result.reason, controller.signal.reason, `a pending call failed: ${result.reason}`);
  }
  await closing;
  return numbers;
}

export const withinCases: readonly WithinCase[] = [
  {
    name: 'counts each key from 1, in the order of the commits',
    run: async (open) => {
      const series = await open();
      const [one, other] = [await series.connect(), await series.connect()];
      const taken = [await issue(one), await issue(other), await issue(one, 'globex'), await issue(one)];
      assert.deepEqual(taken, [1, 2, 1, 3]);
      await assertGapless(series);
    },
  },
  {
    name: 'gives a number back at a rollback',
    run: async (open) => {
      const series = await open();
      const caller = await series.connect();
      for (let round = 1; round <= 3; round++) {
        await caller.begin();
        await caller.write(KEY, await caller.next(KEY));
        await caller.rollback();
        await issue(caller);
      }
      await assertGapless(series);
    },
  },
  {
    name: 'gives a number back at the rollback to a savepoint, and keeps those before it',
    run: async (open) => {
      const series = await open();
      const caller = await series.connect();
      for (let round = 1; round <= 3; round++) {
        await caller.begin();
        await caller.write(KEY, await caller.next(KEY));
        await caller.save();
        await caller.write(KEY, await caller.next(KEY));
        await caller.undo();
        await caller.write(KEY, await caller.next(KEY));
        await caller.commit();
      }
      await assertGapless(series);
      assert.equal((await series.documents(KEY)).length, 6);
    },
  },
  {
    name: 'gives a number back when its connection ends in the middle',
    run: async (open) => {
      const series = await open();
      const caller = await series.connect();
      await issue(caller);
      for (let round = 1; round <= 3; round++) {
        const killed = await series.connect();
        await killed.begin();
        await killed.write(KEY, await killed.next(KEY));
        await killed.drop();
        await issue(caller);
      }
      await assertGapless(series);
    },
  },
  {
    name: 'refuses to take a number outside a transaction, and takes none',
    run: async (open) => {
      const series = await open();
      const caller = await series.connect();
      await issue(caller);
      for (const key of [KEY, 'new']) {
        const number = await caller.next(key).catch(() => undefined);
        assert.equal(number, undefined, `it took number ${number} outside a transaction`);
      }
      await issue(caller);
      await issue(caller, 'new');
      await assertGapless(series);
      await assertGapless(series, 'new');
    },
  },
  {
    name: 'claims as a generator that it leaves no gap, and leaves none in calls at once, aborts and closes',
    run: async (open) => {
      const series = await open();
      const caller = await series.connect();
      for (const end of ['commit', 'rollback', 'commit'] as const) {
        await caller.begin();
        const generator = caller.generator(KEY);
        const { gaps, maxIdsLost } = generator.guarantees;
        assert.deepEqual({ gaps, maxIdsLost }, { gaps: 'never', maxIdsLost: 0 });
        for (const number of await callAtOnce(generator)) await caller.write(KEY, number);
        await caller[end]();
      }
      await assertGapless(series);
    },
  },
  {
    name: 'takes no number as a generator once its transaction has ended',
    run: async (open) => {
      const series = await open();
      const caller = await series.connect();
      for (const end of ['commit', 'rollback'] as const) {
        await caller.begin();
        const generator = caller.generator(KEY);
        await caller.write(KEY, await generator.next());
        await caller[end]();
        const numbers = await generator.nextBatch(2).catch(() => undefined);
        assert.equal(numbers, undefined, `it took ${numbers} after ${end}()`);
        await generator.close();
        await issue(caller);
      }
      await assertGapless(series);
    },
  },
  {
    name: 'gives nobody a number of another key to wait for',
    severalWriters: true,
    run: async (open) => {
      const series = await open();
      const [holder, caller] = [await series.connect(), await series.connect()];
      await holder.begin();
      await holder.write(KEY, await holder.next(KEY));
      // One that waited would wait for ever.
      assert.deepEqual([await issue(caller, 'globex'), await issue(caller, 'globex')], [1, 2]);
      await holder.commit();
      await assertGapless(series);
    },
  },
  {
    name: 'leaves no gap and repeats no number beside callers that commit, roll back, undo and are killed',
    run: async (open) => {
      const series = await open();
      const keys = [KEY, 'globex'];
      const callers = Array.from({ length: CALLERS }, (_, who) => runCaller(series, who, keys));
      const issued = await Promise.all(callers);
      for (const key of keys) await assertGapless(series, key);
      const found = await Promise.all(keys.map((key) => series.documents(key)));
      assert.equal(found.flat().length, issued.flat().length, 'documents of callers that have committed');
    },
  },
];

const CALLERS = 5;
const ROUNDS = 24;

/** Plays a part that `who` decides: every fourth transaction rolls back, every sixth is killed, and so on. */
async function runCaller(series: WithinSeries, who: number, keys: readonly string[]): Promise<number[]> {
  let caller = await series.connect();
  const issued: number[] = [];
  for (let round = 0; round < ROUNDS; ) {
    const key = keys[(who + round) % keys.length] ?? KEY;
    const turn = who + round;
    try {
      await caller.begin();
      if (turn % 5 === 4) {
        await caller.save();
        await caller.write(key, await caller.next(key));
        await caller.undo();
      }
      const number = await caller.next(key);
      await caller.write(key, number);
      if (turn % 6 === 5) {
        await caller.drop();
        caller = await series.connect();
      } else if (turn % 4 === 3) {
        await caller.rollback();
      } else {
        await caller.commit();
        issued.push(number);
      }
      round++;
    } catch (error) {
      if (!caller.collided(error)) throw error;
      await caller.rollback();
    }
  }
  return issued;
}
