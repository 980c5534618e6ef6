import { MAX_BATCH } from '@ids/core';
import { alter } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import { open as openSegments } from '../references/segments.js';
import { open as openTickets } from '../references/tickets.js';
import { memoryTickets } from './memory-tickets.js';
import type { Mutant } from './mutant.js';

const EXACT_COUNT = 'returns exactly as many ids as were asked for, also across segments';
const REFUSED_COUNTS = 'rejects counts that are not a whole number in range, and issues nothing for them';

export const batchMutants: readonly Mutant[] = [
  {
    name: 'gives only what is left of its segment',
    fails: EXACT_COUNT,
    saying: /nextBatch\(100000\)/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, { nextBatch: (count) => generator.nextBatch(Math.min(count, 99_999)) });
    },
  },
  {
    name: 'gives the last id of the largest batch twice',
    fails: EXACT_COUNT,
    saying: /given twice/,
    like: 'local',
    open: async () => {
      const generator = await openLocal();
      return alter(generator, {
        nextBatch: async (count) => {
          const ids = await generator.nextBatch(count);
          return count < MAX_BATCH ? ids : [...ids.slice(0, -1), ids.at(-2) ?? ''];
        },
      });
    },
  },
  {
    name: 'gives one id when asked for none',
    fails: EXACT_COUNT,
    saying: /nextBatch\(0\)/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, { nextBatch: (count) => generator.nextBatch(Math.max(count, 1)) });
    },
  },
  {
    name: 'is one id short when the count is a multiple of 997',
    fails: EXACT_COUNT,
    saying: /nextBatch\(997\) gave 996 ids/,
    like: 'tickets',
    open: async () => {
      const generator = await memoryTickets();
      return alter(generator, {
        nextBatch: (count) => generator.nextBatch(count > 0 && count % 997 === 0 ? count - 1 : count),
      });
    },
  },
  {
    name: 'is one id short when the count is a multiple of 23 and it serves from memory',
    fails: EXACT_COUNT,
    saying: /nextBatchSync\(69\) gave 68 ids/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      return alter(generator, {
        nextBatchSync: (count) => generator.nextBatchSync(count > 0 && count % 23 === 0 ? count - 1 : count),
      });
    },
  },
  {
    name: 'is one id short in the largest batch from memory',
    fails: EXACT_COUNT,
    saying: /nextBatchSync\(1000000\) gave 999999 ids/,
    like: 'local',
    open: async () => {
      const generator = await openLocal();
      return alter(generator, {
        nextBatchSync: (count) => generator.nextBatchSync(count === MAX_BATCH ? count - 1 : count),
      });
    },
  },
  {
    name: 'gives no ids from memory, whatever the count',
    fails: EXACT_COUNT,
    saying: /nextBatchSync\(1\) gave 0 ids/,
    like: 'segments',
    open: async (context) => alter(await openSegments(context), { nextBatchSync: () => [] }),
  },
  {
    name: 'gives a short batch from memory',
    fails: EXACT_COUNT,
    saying: /nextBatchSync\(51\) gave 9 ids/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      return alter(generator, { nextBatchSync: (count) => generator.nextBatchSync(Math.min(count, 9)) });
    },
  },
  {
    name: 'answers impossible counts with an empty batch',
    fails: REFUSED_COUNTS,
    saying: /Missing expected rejection/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        nextBatch: async (count) => (isPossible(count) ? generator.nextBatch(count) : []),
      });
    },
  },
  {
    name: 'refuses impossible counts with an error of another kind',
    fails: REFUSED_COUNTS,
    saying: /nextBatch\(-1\) must fail with a RangeError/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        nextBatch: async (count) => {
          if (!isPossible(count)) throw new Error('Invalid array length');
          return generator.nextBatch(count);
        },
      });
    },
  },
  {
    name: 'takes a text for a count',
    fails: REFUSED_COUNTS,
    saying: /Missing expected rejection/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        nextBatch: (count) => generator.nextBatch(typeof count === 'string' ? Number(count) : count),
      });
    },
  },
  {
    name: 'spends an id on a count that it refuses',
    fails: REFUSED_COUNTS,
    saying: /does not follow/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        nextBatch: async (count) => {
          if (!isPossible(count)) await generator.next();
          return generator.nextBatch(count);
        },
      });
    },
  },
  {
    name: 'checks counts only in its asynchronous calls',
    fails: REFUSED_COUNTS,
    saying: /Missing expected exception/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      return alter(generator, {
        nextBatchSync: (count) => (isPossible(count) ? generator.nextBatchSync(count) : []),
      });
    },
  },
];

function isPossible(count: number): boolean {
  return Number.isInteger(count) && count >= 0 && count <= MAX_BATCH;
}
