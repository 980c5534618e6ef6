import { type Id, MAX_BATCH } from '@ids/core';
import { alter, mapIds } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import { open as openPadded } from '../references/padded-tickets.js';
import { open as openSegments } from '../references/segments.js';
import { open as openStamps, stampGuarantees } from '../references/stamps.js';
import { open as openTickets } from '../references/tickets.js';
import { memoryTickets } from './memory-tickets.js';
import type { Mutant } from './mutant.js';

const RISING = 'issues increasing ids';
const MIXED = 'returns the ids of mixed calls in the order of the calls';
const FIFO = 'serves concurrent calls first come, first served';
const SORTED_STRINGS = 'issues ids whose strings sort in the order of issue';

/** How many generators of the mutant that shares them are open. */
let sharing = 0;

export const orderMutants: readonly Mutant[] = [
  {
    name: 'follows a segment that was fetched long ago and came late',
    fails: RISING,
    saying: /id 1 \(number 1001\) is not above 1100/,
    like: 'tickets',
    open: async () => {
      const generator = await memoryTickets();
      const late = await generator.nextBatch(100);
      return mapIds(generator, (id, index) => late[index - 1_000] ?? id);
    },
  },
  {
    name: 'swaps two ids in ten thousand',
    fails: RISING,
    saying: /is not above/,
    like: 'tickets',
    open: async () =>
      mapIds(await memoryTickets(), (id, index) => {
        const offset = index % 10_000;
        return offset === 5_000 ? Number(id) + 1 : offset === 5_001 ? Number(id) - 1 : id;
      }),
  },
  {
    name: 'reverses its batches',
    fails: MIXED,
    saying: /is not above/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, { nextBatch: async (count) => (await generator.nextBatch(count)).reverse() });
    },
  },
  {
    name: 'reverses its batches while another generator is open',
    fails: MIXED,
    saying: /nextBatchSync by turns: .* is not above/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      sharing += 1;
      const nextBatch = async (count: number) => {
        const ids = await generator.nextBatch(count);
        return sharing > 1 ? ids.reverse() : ids;
      };
      const close = async () => {
        sharing -= 1;
        await generator.close();
      };
      return alter(generator, { nextBatch, close });
    },
  },
  {
    name: 'serves its synchronous calls from a segment of their own',
    fails: MIXED,
    saying: /is not above/,
    like: 'segments',
    open: async (context) => {
      const [generator, other] = [await openSegments(context), await openSegments(context)];
      return alter(generator, {
        ready: async () => void (await Promise.all([generator.ready(), other.ready()])),
        nextSync: () => other.nextSync(),
        nextBatchSync: (count) => other.nextBatchSync(count),
        close: async () => void (await Promise.all([generator.close(), other.close()])),
      });
    },
  },
  {
    name: 'serves the last caller first',
    fails: FIFO,
    saying: /calls numbered as they were made/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      const waiting: (() => void)[] = [];
      return alter(generator, {
        next: async () => {
          await new Promise<void>((serve) => {
            if (waiting.push(serve) === 1) {
              setImmediate(() => {
                for (const waiter of waiting.splice(0).reverse()) waiter();
              });
            }
          });
          return generator.next();
        },
      });
    },
  },
  {
    name: 'serves large batches in parts, between which it serves later calls',
    fails: FIFO,
    saying: /calls numbered as they were made/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        nextBatch: async (count, options) => {
          if (!(count > 512 && count <= MAX_BATCH)) return generator.nextBatch(count, options);
          const ids: Id[] = [];
          while (ids.length < count) {
            ids.push(...(await generator.nextBatch(Math.min(512, count - ids.length), options)));
          }
          return ids;
        },
      });
    },
  },
  {
    name: 'gives later calls the lower ids, though all settle in order',
    fails: FIFO,
    saying: /ids of concurrent calls/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      let waiting: ((id: Id) => void)[] = [];
      return alter(generator, {
        next: () =>
          new Promise((serve) => {
            if (waiting.push(serve) > 1) return;
            setImmediate(async () => {
              const served = waiting;
              waiting = [];
              const ids = await generator.nextBatch(served.length);
              for (const waiter of served) waiter(ids.pop() ?? 0);
            });
          }),
      });
    },
  },
  {
    name: 'claims that numbers of different width sort as text',
    fails: SORTED_STRINGS,
    saying: /strings of one generator/,
    like: 'local',
    claims: { text: { pattern: /\d+\/\d+/, maxLength: 20, sortable: true } },
    open: async () => mapIds(await openLocal(), (_, index) => `0/${index + 1}`),
  },
  {
    name: 'claims that its strings sort in the cluster, where they sort in a generator only',
    fails: SORTED_STRINGS,
    saying: /strings of two generators/,
    like: 'stamps',
    claims: { order: { process: 'increasing', cluster: 'real-time' } },
    open: openStamps,
  },
  {
    name: 'turns numbers into texts whose alphabet is not in order',
    fails: SORTED_STRINGS,
    saying: /strings of one generator/,
    like: 'paddedTickets',
    claims: { text: { ...stampGuarantees.text, pattern: /[0-9z]+/ } },
    open: async (context) => mapIds(await openPadded(context), (id) => String(id).replaceAll('3', 'z')),
  },
];
