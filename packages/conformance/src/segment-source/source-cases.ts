import assert from 'node:assert/strict';
import {
  assertMaxId,
  assertRangeError,
  assertRefused,
  type OpenSource,
  reserved,
  withOrder,
} from './opened-source.js';

/** One requirement on every source, as data, for any runner. */
export interface SegmentSourceCase {
  /** What it checks, as a sentence about a source: "keeps sequences apart". */
  readonly name: string;
  /** Whether it is about `expectedMaxId`, which a source may ignore. */
  readonly expectsMaxId?: true;
  /** Rejects, with an `AssertionError` if the requirement is not met. */
  run(open: OpenSource): Promise<void>;
}

/** The last id, 2^53 - 1. */
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** How many ids a source raises a sequence that went back, before it needs a human. */
const MAX_JUMP = 1_000_000_000;

const NOT_FROM_ZERO = [-1, 0.5, 2 ** 53] as const;

/** All cases, from plain reservations to the ends of the range. */
export const segmentSourceCases: readonly SegmentSourceCase[] = [
  {
    name: 'reserves ranges that follow each other, from the one after the start on',
    async run(open) {
      const source = await withOrder(open, 41);
      assert.deepEqual(await reserved(source.reserve('order', 10)), { low: 42, high: 51 });
      assert.deepEqual(await reserved(source.reserve('order', 1)), { low: 52, high: 52 });
      await assertMaxId(source, 52);
    },
  },
  {
    name: 'reserves disjoint ranges for callers that ask at the same time',
    async run(open) {
      const source = await withOrder(open, 0);
      const calls = Array.from({ length: 20 }, () => reserved(source.reserve('order', 3)));
      const segments = (await Promise.all(calls)).sort((a, b) => a.low - b.low);
      const expected = segments.map((_, i) => ({ low: 3 * i + 1, high: 3 * i + 3 }));
      assert.deepEqual(segments, expected, 'the ranges of 20 callers');
    },
  },
  {
    name: 'keeps sequences apart',
    async run(open) {
      const { source, createSequence } = await open();
      await createSequence('order', 0);
      await createSequence('ticket – 排队号', 500);
      await source.reserve('order', 10);
      const other = await reserved(source.reserve('ticket – 排队号', 2));
      assert.deepEqual(other, { low: 501, high: 502 }, 'a sequence after another one was used');
    },
  },
  {
    name: 'leaves a sequence alone that is created again',
    async run(open) {
      const { source, createSequence } = await open();
      await createSequence('order', 7);
      const { realm } = await source.describe('order');
      await createSequence('order', 0);
      const again = await source.describe('order');
      assert.deepEqual({ realm: again.realm, maxId: again.maxId }, { realm, maxId: 7 });
    },
  },
  {
    name: 'gives each sequence a realm of its own',
    async run(open) {
      const { source, createSequence } = await open();
      await createSequence('order', 0);
      await createSequence('ticket', 0);
      const realms = [await source.describe('order'), await source.describe('ticket')];
      assert.notEqual(realms[0]?.realm, realms[1]?.realm, 'two sequences have one realm');
    },
  },
  {
    name: 'reserves above a floor, and leaves a sequence alone that stands higher',
    async run(open) {
      const source = await withOrder(open, 10);
      const above = await reserved(source.reserve('order', 5, { floor: 1_000 }));
      assert.ok(above.low > 1_000, 'with a floor of 1000');
      const { low, high } = above;
      assert.equal(high, low + 4, 'with a floor of 1000');
      const higher = await reserved(source.reserve('order', 5, { floor: 3 }));
      assert.deepEqual(higher, { low: high + 1, high: high + 5 }, 'with a floor of 3');
    },
  },
  {
    name: 'refuses to jump more than 10^9 ids to a floor',
    async run(open) {
      const source = await withOrder(open, 10);
      const tooFar = 10 + MAX_JUMP + 1;
      await assertRefused(() => source.reserve('order', 5, { floor: tooFar }), `a floor of ${tooFar}`, {
        code: 'ERR_IDS_REGRESSED',
      });
      const { low } = await source.reserve('order', 1, { floor: tooFar - 1 });
      assert.ok(low >= tooFar, 'the first id above the highest floor');
    },
  },
  {
    name: 'reserves behind the id that is expected, and nothing if the sequence is not there',
    expectsMaxId: true,
    async run(open) {
      const source = await withOrder(open, 10);
      const first = await reserved(source.reserve('order', 5, { expectedMaxId: 10 }));
      assert.deepEqual(first, { low: 11, high: 15 });
      for (const expectedMaxId of [10, 14, 16]) {
        const refused = () => source.reserve('order', 5, { expectedMaxId });
        const what = `expectedMaxId ${expectedMaxId} at 15`;
        await assertRefused(refused, what, { code: 'ERR_IDS_UNAVAILABLE', retryable: true, maxId: 15 });
      }
      await assertMaxId(source, 15);
    },
  },
  {
    name: 'makes one of the reservations that expect the same',
    expectsMaxId: true,
    async run(open) {
      const source = await withOrder(open, 10);
      const calls = Array.from({ length: 8 }, () =>
        reserved(source.reserve('order', 5, { expectedMaxId: 10 })),
      );
      const made = (await Promise.allSettled(calls)).flatMap((call) =>
        call.status === 'fulfilled' ? [call.value] : [],
      );
      assert.deepEqual(made, [{ low: 11, high: 15 }], 'the reservations that were made');
      await assertMaxId(source, 15);
    },
  },
  {
    name: 'refuses an expectedMaxId that is not a whole number from 0 to 2^53 - 1',
    expectsMaxId: true,
    async run(open) {
      const source = await withOrder(open, 0);
      for (const expectedMaxId of NOT_FROM_ZERO) {
        const call = () => source.reserve('order', 1, { expectedMaxId });
        await assertRangeError(call, `expectedMaxId ${expectedMaxId}`);
      }
    },
  },
  {
    name: 'refuses a floor that is not a whole number from 0 to 2^53 - 1',
    async run(open) {
      const source = await withOrder(open, 0);
      for (const floor of NOT_FROM_ZERO) {
        await assertRangeError(() => source.reserve('order', 1, { floor }), `a floor of ${floor}`);
      }
    },
  },
  {
    name: 'refuses a size that is not a whole number from 1 to 10^9',
    async run(open) {
      const source = await withOrder(open, 0);
      for (const size of [0, -1, 1.5, 1_000_000_001, Number.NaN]) {
        await assertRangeError(() => source.reserve('order', size), `a size of ${size}`);
      }
    },
  },
  {
    name: 'says that a sequence is missing, instead of starting one at 1',
    async run(open) {
      const { source } = await open();
      const missing = { code: 'ERR_IDS_CONFIG' };
      await assertRefused(() => source.describe('order'), 'describe without a sequence', missing);
      await assertRefused(() => source.reserve('order', 1), 'reserve without a sequence', missing);
      const raised = () => source.reserve('order', 1, { floor: 5 });
      await assertRefused(raised, 'reserve with a floor, without a sequence', missing);
    },
  },
  {
    name: 'crosses 2^31, 2^32 and 10^15 exactly',
    async run(open) {
      for (const edge of [2 ** 31, 2 ** 32, 10 ** 15]) {
        const source = await withOrder(open, edge - 3);
        const across = await reserved(source.reserve('order', 5));
        assert.deepEqual(across, { low: edge - 2, high: edge + 2 }, `across ${edge}`);
        const behind = await reserved(source.reserve('order', 5));
        assert.deepEqual(behind, { low: edge + 3, high: edge + 7 }, `behind ${edge}`);
        await assertMaxId(source, edge + 7);
      }
    },
  },
  {
    name: 'gives ids up to 2^53 - 1 exactly, and never beyond',
    async run(open) {
      const source = await withOrder(open, LAST_ID - 3);
      const exhausted = { code: 'ERR_IDS_EXHAUSTED' };
      await assertRefused(() => source.reserve('order', 4), 'more ids than are left', exhausted);
      const { low, high } = await source.reserve('order', 3);
      assert.deepEqual([String(low), String(high)], ['9007199254740989', '9007199254740991']);
      await assertRefused(() => source.reserve('order', 1), 'an id after the last one', exhausted);
      const above = () => source.reserve('order', 1, { floor: LAST_ID });
      await assertRefused(above, 'an id above the last one', exhausted);
    },
  },
  {
    name: 'refuses names that are empty, too long, or have control characters, braces or half characters',
    async run(open) {
      const { source, createSequence } = await open();
      for (const name of ['', 'a'.repeat(256), 'a\nb', 'a{b', '\ud800']) {
        const wrong = { code: 'ERR_IDS_CONFIG' };
        const shown = JSON.stringify(name);
        await assertRefused(() => source.reserve(name, 1), `reserve for the name ${shown}`, wrong);
        await assertRefused(() => source.describe(name), `describe of the name ${shown}`, wrong);
        await assertRefused(async () => createSequence(name, 0), `creating the name ${shown}`, wrong);
      }
    },
  },
  {
    name: 'takes a name of 255 characters outside the first plane',
    async run(open) {
      const { source, createSequence } = await open();
      const name = '\u{1f600}'.repeat(255);
      await assert.doesNotReject(async () => createSequence(name, 0), 'the name must be taken');
      assert.deepEqual(await reserved(source.reserve(name, 1)), { low: 1, high: 1 });
    },
  },
  {
    name: 'does nothing for a caller that has given up already',
    async run(open) {
      const source = await withOrder(open, 0);
      const reason = new Error('given up');
      const signal = AbortSignal.abort(reason);
      const given = [
        await assertRefused(() => source.reserve('order', 10, { signal }), 'reserve after an abort', {}),
        await assertRefused(() => source.describe('order', { signal }), 'describe after an abort', {}),
      ];
      for (const error of given) assert.equal(error, reason, 'the error is the reason of the abort');
      await assertMaxId(source, 0);
    },
  },
];
