import { randomBytes } from 'node:crypto';
import type { IdGenerator, RequestOptions } from '@ids/core';
import { assertBatchCount, memoryGenerator } from '@ids/core/strategy';
import { alter } from '../references/alter.js';
import { localGuarantees, open as openLocal } from '../references/local.js';
import { open as openSegments } from '../references/segments.js';
import { stampGuarantees } from '../references/stamps.js';
import { TicketClient, type TicketContext } from '../references/ticket-client.js';
import { open as openTickets, TicketGenerator } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

const SKEW = 'orders the ids of 4 processes within the skew it claims, also beside one under full load';
const UNIQUE = 'issues no id twice from 4 processes';

/** Far coarser than the skew that is admitted, in milliseconds. */
const COARSE_TICK = 400;

const ROUNDED_TO = 50;

export const processMutants: readonly Mutant[] = [
  {
    name: 'reads the counter, then writes it',
    fails: UNIQUE,
    saying: /unique: id \d+ given twice: process \d call \d+ .* and process \d call \d+/,
    like: 'tickets',
    open: readThenAdd,
  },
  {
    name: 'tells its processes apart by something that all of them have',
    fails: UNIQUE,
    saying: /unique: id 0\/1 given twice: process 1 call 1 .* and process 2 call 1/,
    like: 'local',
    claims: { unique: 'cluster' },
    open: openLocal,
  },
  {
    name: 'holds an id back and gives it later',
    fails: 'issues increasing ids in each of 4 processes, first come, first served',
    saying: /increasing: id \d+ is not above \d+/,
    like: 'tickets',
    open: holdBack,
  },
  {
    name: 'claims real-time order for segments in process memory',
    fails: 'issues ids in real-time order across 4 processes',
    saying: /real-time: id \d+ is not above \d+/,
    like: 'segments',
    claims: { order: { process: 'increasing', cluster: 'real-time' } },
    open: openSegments,
  },
  {
    name: 'rounds its batches up, and issues later what is left of them',
    fails: 'issues ids in real-time order across 4 processes',
    saying: /real-time: id \d+ is not above \d+/,
    like: 'tickets',
    claims: { gaps: 'on-restart', maxIdsLost: ROUNDED_TO },
    open: roundUpBatches,
  },
  {
    name: 'sorts by a clock that is coarser than the skew it claims',
    fails: SKEW,
    saying: /k-sorted: id \S+ is not above \S+/,
    like: 'stamps',
    open: async () => {
      const node = randomBytes(4).toString('hex');
      let issued = 0;
      return memoryGenerator({
        strategy: 'stamps',
        guarantees: stampGuarantees,
        issue: () => `${Math.floor(Date.now() / COARSE_TICK)}-${node}-${String(++issued).padStart(9, '0')}`,
      });
    },
  },
  {
    name: 'runs ahead of its clock under load',
    fails: SKEW,
    saying: /k-sorted: id \S+ is not above \S+/,
    like: 'stamps',
    open: async () => {
      const node = randomBytes(4).toString('hex');
      let [time, issued] = [0, 0];
      return memoryGenerator({
        strategy: 'stamps',
        guarantees: stampGuarantees,
        issue: () => {
          // Each 20 ids take the next millisecond, whatever the clock says.
          issued = (issued + 1) % 300;
          time = Math.max(Date.now(), issued % 20 === 0 ? time + 1 : time);
          return `${time}-${String(issued).padStart(3, '0')}-${node}00000000`;
        },
      });
    },
  },
  {
    name: 'counts in each thread and forgets which thread it is',
    fails: 'issues no id twice from worker threads, beside their main thread and after others have ended',
    saying: /unique: id 0\/1 given twice/,
    like: 'local',
    open: async () => {
      let issued = 0;
      return memoryGenerator({
        strategy: 'local',
        guarantees: localGuarantees,
        issue: () => `0/${++issued}`,
      });
    },
  },
];

/** One call at a time inside the process, so that only other processes can come between. */
async function readThenAdd(context: TicketContext): Promise<IdGenerator> {
  const client = await TicketClient.open(context);
  let turn: Promise<unknown> = Promise.resolve();
  return new TicketGenerator({
    add: (count) => {
      const added = turn.then(async () => client.set((await client.get()) + count));
      turn = added;
      return added;
    },
    close: () => client.close(),
  });
}

/** Each id comes from the store, unless there is a rest of a batch, which goes first. */
async function roundUpBatches(context: TicketContext): Promise<IdGenerator> {
  const generator = await openTickets(context);
  const held: number[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  const take = (count: number, options: RequestOptions = {}): Promise<number[]> => {
    const taken = turn.then(async () => {
      await generator.ready(options);
      if (count === 1 && held.length === 0) return generator.nextBatch(1);
      const missing = Math.max(0, count - held.length);
      held.push(...(await generator.nextBatch(Math.ceil(missing / ROUNDED_TO) * ROUNDED_TO)));
      return held.splice(0, count);
    });
    turn = taken.catch(() => undefined);
    return taken;
  };
  return alter(generator, {
    next: async (options) => (await take(1, options))[0] ?? 0,
    nextBatch: async (count, options) => {
      assertBatchCount(count);
      return take(count, options);
    },
  });
}

async function holdBack(context: TicketContext): Promise<IdGenerator> {
  const generator = await openTickets(context);
  let [calls, held] = [0, 0];
  return alter(generator, {
    next: async () => {
      calls += 1;
      if (calls === 500) held = await generator.next();
      if (calls !== 1_000) return generator.next();
      return held;
    },
  });
}
