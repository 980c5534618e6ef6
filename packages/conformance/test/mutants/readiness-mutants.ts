import { alter } from '../references/alter.js';
import { open as openSegments } from '../references/segments.js';
import { open as openTickets } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

const HEALTH = 'reports its health truthfully';
const READY = 'serves without waiting once it is ready';
const SYNC = 'has synchronous calls exactly if it claims them';

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
