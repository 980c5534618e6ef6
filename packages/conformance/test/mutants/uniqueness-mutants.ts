import type { Id } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { alter, mapIds } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import { open as openSegments } from '../references/segments.js';
import { stampGuarantees } from '../references/stamps.js';
import { open as openTickets } from '../references/tickets.js';
import { memoryTickets } from './memory-tickets.js';
import type { Mutant } from './mutant.js';

const READY = 'issues no id twice before, while and after it becomes ready';

const CEILING = 300_000;

/** How many generators were opened, by set-up. */
const open = new Map<string, number>();

export const uniquenessMutants: readonly Mutant[] = [
  {
    name: 'gives one id in 60,000 twice',
    fails: 'issues no id twice, as fast as it can',
    saying: /id 11 given twice, as number 11 and 60001/,
    like: 'tickets',
    open: async () => {
      let early: Id = 0;
      return mapIds(await memoryTickets(), (id, index) => {
        if (index === 10) early = id;
        return index === 60_000 ? early : id;
      });
    },
  },
  {
    name: 'leaves a gap where another generator takes ids as well',
    fails: 'issues no id twice from several generators on one set-up',
    saying: /does not follow/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      const others = open.get(context.name) ?? 0;
      open.set(context.name, others + 1);
      const take = () => generator.nextBatch(1 + others);
      return alter(generator, { next: async () => (await take())[0] ?? 0 });
    },
  },
  {
    name: 'gives its first synchronous id again after 65,536 others',
    fails: 'issues no id twice, as fast as it can',
    saying: /given twice/,
    like: 'local',
    open: async () => {
      const generator = await openLocal();
      const given: string[] = [];
      return alter(generator, {
        nextSync: () => {
          const again = given.length === 65_536 ? given[0] : undefined;
          given.push(again ?? generator.nextSync());
          return given.at(-1) ?? '';
        },
      });
    },
  },
  {
    name: 'lets each generator after the second count for itself',
    fails: 'issues no id twice from several generators on one set-up',
    saying: /given twice/,
    like: 'tickets',
    open: async (context) => {
      const others = open.get(context.name) ?? 0;
      open.set(context.name, others + 1);
      return others < 2 ? openTickets(context) : memoryTickets();
    },
  },
  {
    name: 'counts in each generator for itself',
    fails: 'issues no id twice from several generators on one set-up',
    saying: /given twice/,
    like: 'tickets',
    open: memoryTickets,
  },
  {
    name: 'starts its counter over when it becomes ready',
    fails: READY,
    saying: /given twice/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      const given: number[] = [];
      let ready = false;
      return alter(generator, {
        next: async (options) => {
          const id = (ready ? given.shift() : undefined) ?? (await generator.next(options));
          if (!ready) given.push(id);
          return id;
        },
        ready: async (options) => {
          ready = true;
          return generator.ready(options);
        },
      });
    },
  },
  {
    name: 'gives one id again and again from memory, until it is ready',
    fails: READY,
    saying: /given twice/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      const cold = (await generator.nextBatch(1))[0] ?? 0n;
      let ready = false;
      return alter(generator, {
        nextSync: () => (ready ? generator.nextSync() : cold),
        ready: async (options) => {
          await generator.ready(options);
          ready = true;
        },
      });
    },
  },
  {
    name: 'counts for itself in each generator, until it is ready',
    fails: READY,
    saying: /given twice/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      let [ready, last] = [false, 0];
      return alter(generator, {
        next: async (options) => (ready ? generator.next(options) : ++last),
        ready: async (options) => {
          await generator.ready(options);
          ready = true;
        },
      });
    },
  },
  {
    name: 'starts its counter over when it has given when it has given as many ids as fit into a second',
    fails: 'issues no id twice above its limit of ids per second',
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
