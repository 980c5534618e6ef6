import type { IdGenerator } from '@ids/core';
import { abortable } from '@ids/core/strategy';
import { alter } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import { open as openSegments } from '../references/segments.js';
import { open as openTickets } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

const HEALTH = 'reports its health truthfully';
const READY = 'serves without waiting once it is ready';
const AGAIN = 'is ready again once its memory ran empty';
const NEVER_WAITS = 'never waits in nextSync, judged by what remains';
const NO_WAIT = 'never waits in nextSync, judged by 100 ms';
const SYNC = 'has synchronous calls exactly if it claims them';

/** Nobody notifies those who wait here. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

export const readinessMutants: readonly Mutant[] = [
  {
    name: 'feels well after it was closed',
    fails: HEALTH,
    saying: /a closed generator is closed/,
    like: 'tickets',
    open: async (context) => alter(await openTickets(context), { health: () => ({ status: 'ok' }) }),
  },
  {
    name: 'feels down while it serves',
    fails: HEALTH,
    saying: /a generator that serves is ok/,
    like: 'tickets',
    open: async (context) => alter(await openTickets(context), { health: () => ({ status: 'down' }) }),
  },
  {
    name: 'has fewer ids left than none',
    fails: HEALTH,
    saying: /remaining must be a whole number/,
    like: 'tickets',
    open: async (context) =>
      alter(await openTickets(context), { health: () => ({ status: 'ok', remaining: -1 }) }),
  },
  {
    name: 'is ready before it has fetched anything',
    fails: READY,
    saying: /a generator that is ready is ok/,
    like: 'segments',
    open: async (context) => alter(await openSegments(context), { ready: async () => undefined }),
  },
  {
    name: 'is ready, and says it is well, before it has anything in memory',
    fails: READY,
    saying: /nextSync\(\) right after ready\(\)/,
    like: 'segments',
    open: async (context) =>
      alter(await openSegments(context), {
        ready: async () => undefined,
        health: () => ({ status: 'ok' }),
      }),
  },
  {
    name: 'becomes ready only once',
    fails: AGAIN,
    saying: /nextSync\(\) right after ready\(\) number 2/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      let readied: Promise<void> | undefined;
      return alter(generator, {
        ready: async (options) => {
          if (readied === undefined || generator.health().status === 'closed') readied = generator.ready();
          await abortable(readied, options?.signal);
        },
      });
    },
  },
  {
    name: 'fetches in nextSync, while the process waits',
    fails: NEVER_WAITS,
    saying: /nextSync\(\) gave an id more than the \d+ that remained/,
    like: 'local',
    open: blockingLocal,
  },
  {
    name: 'waits in nextSync before it says that nothing is in memory',
    fails: NO_WAIT,
    saying: /nextSync\(\) took \d{3} ms at best/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      return alter(generator, {
        nextSync: () => {
          if (generator.health().remaining === 0) Atomics.wait(NEVER, 0, 0, 150);
          return generator.nextSync();
        },
      });
    },
  },
  {
    name: 'claims synchronous calls that it lacks',
    fails: SYNC,
    saying: /sync: true is claimed; nextSync/,
    like: 'tickets',
    claims: { sync: true },
    open: openTickets,
  },
  {
    name: 'has synchronous calls that it does not claim',
    fails: SYNC,
    saying: /sync: false is claimed; nextSync/,
    like: 'segments',
    claims: { sync: false },
    open: openSegments,
  },
  {
    name: 'has one of the two synchronous calls',
    fails: SYNC,
    saying: /sync: true is claimed; nextBatchSync/,
    like: 'tickets',
    claims: { sync: true },
    open: async (context) => alter(await openTickets(context), { nextSync: () => 1 }),
  },
];

/** Says how many ids are left, and gets more in a synchronous call, as if the whole process waited. */
async function blockingLocal(): Promise<IdGenerator> {
  const generator = await openLocal();
  let left = 0;
  const take = <T>(count: number, ids: T): T => {
    left = Math.max(0, left - count);
    return ids;
  };
  return alter(generator, {
    next: async (options) => take(1, await generator.next(options)),
    nextBatch: async (count, options) => take(count, await generator.nextBatch(count, options)),
    nextSync: () => take(1, generator.nextSync()),
    nextBatchSync: (count) => take(count, generator.nextBatchSync(count)),
    ready: async (options) => {
      await generator.ready(options);
      left = 1_000;
    },
    health: () => ({ ...generator.health(), remaining: left }),
  });
}
