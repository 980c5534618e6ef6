import { alter, mapIds } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import { open as openTickets } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

/** Those that only a process of their own can show. */
export const resourceMutants: readonly Mutant[] = [
  {
    name: 'keeps a timer when it is closed',
    fails: 'lets its process end within 2 s of close',
    saying: /the process was kept alive by Timeout/,
    like: 'local',
    open: async () => {
      setInterval(() => undefined, 60_000);
      return openLocal();
    },
  },
  {
    name: 'leaves a connection open when it is closed',
    fails: 'lets its process end within 2 s of close',
    saying: /the process was kept alive by TCPSocketWrap/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      const other = await openTickets(context);
      await other.ready();
      return generator;
    },
  },
  {
    name: 'remembers every id that it issued',
    fails: 'keeps less than 6 bytes of memory per id',
    saying: /kept \d+\.\d bytes per id$/,
    like: 'local',
    open: async () => {
      const issued = new Set<unknown>();
      return mapIds(await openLocal(), (id) => {
        issued.add(id);
        return id;
      });
    },
  },
  {
    name: 'keeps what it needs for each call of next',
    fails: 'keeps less than 6 bytes of memory per id',
    saying: /kept \d+\.\d bytes per id$/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      const calls: unknown[] = [];
      return alter(generator, {
        next: (options) => {
          const id = generator.next(options);
          calls.push(id);
          return id;
        },
      });
    },
  },
];
