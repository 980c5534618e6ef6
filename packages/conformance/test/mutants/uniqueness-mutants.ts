import type { Id } from '@ids/core';
import { memoryGenerator } from '@ids/core';
import { mapIds } from '../references/alter.js';
import { stampGuarantees } from '../references/stamps.js';
import { open as openTickets, TicketGenerator } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

const CEILING = 300_000;

export const uniquenessMutants: readonly Mutant[] = [
  {
    name: 'gives one id in 60,000 twice',
    fails: 'gives no id twice, as fast as it can',
    saying: /id 11 given twice, as number 11 and 60001/,
    like: 'tickets',
    open: async (context) => {
      let early: Id = 0;
      return mapIds(await openTickets(context), (id, index) => {
        if (index === 10) early = id;
        return index === 60_000 ? early : id;
      });
    },
  },
  {
    name: 'counts in each generator for itself',
    fails: 'gives no id twice from two generators on one set-up',
    saying: /given twice/,
    like: 'tickets',
    open: async () => {
      let last = 0;
      return new TicketGenerator({
        add: async (count) => {
          last += count;
          return last;
        },
        close: () => undefined,
      });
    },
  },
  {
    name: 'starts its counter over when it has given as many ids as fit into a second',
    fails: 'gives no id twice past its ceiling of ids per second',
    saying: /given twice, as number 1 and 300001/,
    like: 'stamps',
    claims: { maxIdsPerSecond: CEILING },
    open: async () => {
      const second = Math.floor(Date.now() / 1_000);
      let issued = 0;
      return memoryGenerator({
        strategy: 'stamps',
        guarantees: stampGuarantees,
        issue: () => `${second}-${String(issued++ % CEILING).padStart(6, '0')}`,
      });
    },
  },
];
