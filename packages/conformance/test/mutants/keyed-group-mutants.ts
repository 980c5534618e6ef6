import type { Id } from '@ids/core';
import { alterKeyed, type KeyedMutant } from './keyed-mutant.js';

const MIDNIGHT = 'begins all keys again with a new day, and issues none of the day before from then on';

/** The context of the case about days has them; all others count without. */
export const keyedGroupMutants: readonly KeyedMutant[] = [
  {
    name: 'holds an id of a key over midnight',
    fails: MIDNIGHT,
    saying: /the day of an id of [bc] after one of a new day was issued/,
    breaks: (family, { daysAheadMs }) => {
      if (daysAheadMs === undefined) return family;
      const held = new Map<string, Promise<Id>>();
      return alterKeyed(family, {
        next: async (key, options) => {
          const id = held.get(key) ?? family.next(key, options);
          held.delete(key);
          if (key === 'a') return id;
          const later = family.next(key);
          // It may be on its way when the generator is closed.
          later.catch(() => undefined);
          held.set(key, later);
          return id;
        },
      });
    },
  },
  {
    name: 'goes on counting over midnight',
    fails: MIDNIGHT,
    saying: /the number of the first id of a key in a new day/,
    breaks: (family, { daysAheadMs }) => {
      if (daysAheadMs === undefined) return family;
      let [day, carried, last] = [0, 0, 0];
      return alterKeyed(family, {
        next: async (key, options) => {
          const id = Number(await family.next(key, options));
          if (Math.floor(id / 1e8) !== day) [day, carried] = [Math.floor(id / 1e8), last];
          last = (id % 1e8) + carried;
          return id + carried;
        },
      });
    },
  },
];
