import type { Id } from '@ids/core';
import { alterKeyed, type KeyedMutant } from './keyed-mutant.js';

const exchanges = new WeakMap<Promise<Id>, Promise<Id[]>>();

/** Those that need processes to be noticed. */
export const keyedProcessMutants: readonly KeyedMutant[] = [
  {
    name: 'counts the first numbers of a key in each process by itself',
    fails: 'issues no id of a key twice from 4 processes that share their keys',
    saying: /unique/,
    breaks: (family) => {
      const own = new Map<string, number>();
      return alterKeyed(family, {
        next: async (key, options) => {
          const count = (own.get(key) ?? 0) + 1;
          own.set(key, count);
          return count <= 5 ? count : family.next(key, options);
        },
      });
    },
  },
  {
    name: 'begins a key again in a process that finds more than 400 ids of it',
    fails: 'issues no id of a key twice from processes that start after others have closed or were killed',
    saying: /unique/,
    breaks: (family) => {
      const again = new Map<string, Promise<boolean>>();
      const nameOf = async (key: string): Promise<string> => {
        const known = again.get(key) ?? family.highest(key).then((highest) => Number(highest ?? 0) > 400);
        again.set(key, known);
        return (await known) ? `${key} again` : key;
      };
      return alterKeyed(family, {
        next: async (key, options) => family.next(await nameOf(key), options),
        nextBatch: async (key, count, options) => family.nextBatch(await nameOf(key), count, options),
      });
    },
  },
  {
    name: 'exchanges the ids of two calls of a key that wait together',
    fails: 'issues increasing ids of each key in each of 4 processes, first come, first served',
    saying: /fifo/,
    breaks: (family) => {
      const waiting = new Map<string, Promise<Id>>();
      return alterKeyed(family, {
        next: async (key, options) => {
          const [before, mine] = [waiting.get(key), family.next(key, options)];
          if (before !== undefined) {
            waiting.delete(key);
            // Only neighbours: then no other process can see it.
            const exchanged = Promise.all([before, mine]).then(([a, b]) =>
              Number(b) === Number(a) + 1 ? [b, a] : [a, b],
            );
            exchanges.set(before, exchanged);
            return (await exchanged)[1] as Id;
          }
          waiting.set(key, mine);
          const id = await mine;
          if (waiting.get(key) === mine) waiting.delete(key);
          return (await exchanges.get(mine))?.[0] ?? id;
        },
      });
    },
  },
  {
    name: 'sets ten numbers of each key aside in each process',
    fails: 'issues ids of each key in real-time order across 4 processes',
    saying: /real-time/,
    breaks: (family) => {
      const aside = new Map<string, { readonly ids: Promise<Id[]>; used: number }>();
      return alterKeyed(family, {
        next: async (key, options) => {
          if (!key.startsWith('group:')) return family.next(key, options);
          let own = aside.get(key);
          if (own === undefined || own.used === 10) {
            own = { ids: family.nextBatch(key, 10), used: 0 };
            aside.set(key, own);
          }
          const place = own.used++;
          return (await own.ids)[place] as Id;
        },
        nextBatch: (key, count, options) => {
          aside.delete(key);
          return family.nextBatch(key, count, options);
        },
      });
    },
  },
  {
    name: 'remembers each key',
    fails: 'keeps less than 40 bytes of memory per idle key',
    saying: /kept \d+\.\d bytes per idle key$/,
    breaks: (family) => {
      const known = new Set<string>();
      return alterKeyed(family, {
        next: (key, options) => {
          known.add(key);
          return family.next(key, options);
        },
      });
    },
  },
];
