import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '@ids/core';
import { alter } from '../references/alter.js';
import { alterKeyed, type KeyedMutant } from './keyed-mutant.js';

const FIFO = 'serves the calls of each key first come, first served, beside many keys';
const BATCHES = 'returns whole batches of many keys at once, and none of a key for a count of 0';
const HIGHEST = 'reads as the highest id of a key none before the first, and never less than was returned';
const ABORT = 'loses no id of other keys, and of its own no more than were asked for, when a call aborts';
const COUNTS = 'counts over all keys, never downwards, and each id that it issued';
const CLOSE = 'settles the calls of all keys when it is closed, and rejects later ones';
const VIEWS = 'closes nothing else with the view of a key';
const LOCKED = 'serves all other keys while one is locked, and its calls in order afterwards';

export const keyedCallMutants: readonly KeyedMutant[] = [
  {
    name: 'serves the last call first while more than 20 keys wait',
    fails: FIFO,
    saying: /in the order in which they settled/,
    breaks: (family) => {
      let waiting: { key: string; go: () => void }[] = [];
      const turn = (key: string): Promise<void> =>
        new Promise((go) => {
          if (waiting.length === 0) {
            setImmediate(() => {
              const all = waiting;
              waiting = [];
              const keys = new Set(all.map((one) => one.key));
              for (const one of keys.size > 20 ? all.toReversed() : all) one.go();
            });
          }
          waiting.push({ key, go });
        });
      return alterKeyed(family, {
        next: (key, options) => turn(key).then(() => family.next(key, options)),
        nextBatch: (key, count, options) => turn(key).then(() => family.nextBatch(key, count, options)),
      });
    },
  },
  {
    name: 'returns large batches after what was called for later',
    fails: FIFO,
    saying: /in the order in which they settled/,
    breaks: (family) =>
      alterKeyed(family, {
        nextBatch: async (key, count, options) => {
          const ids = await family.nextBatch(key, count, options);
          if (count === 700) await pause(50);
          return ids;
        },
      }),
  },
  {
    name: 'leaves a number out in the middle of a large batch',
    fails: BATCHES,
    saying: /a batch of group:0 in round 1/,
    breaks: (family) =>
      alterKeyed(family, {
        nextBatch: async (key, count, options) => {
          if (count < 2_000) return family.nextBatch(key, count, options);
          const half = Math.floor(count / 2);
          const parts = [half, 1, count - half].map((size) => family.nextBatch(key, size));
          const [first = [], , last = []] = await Promise.all(parts);
          return [...first, ...last];
        },
      }),
  },
  {
    name: 'returns less than a large batch of the second key of a turn',
    fails: BATCHES,
    saying: /nextBatch\(group:1, 2500\) in round 1/,
    breaks: (family) =>
      alterKeyed(family, {
        nextBatch: async (key, count, options) => {
          const ids = await family.nextBatch(key, count, options);
          return key === 'group:1' && count > 2_000 ? ids.slice(1) : ids;
        },
      }),
  },
  {
    name: 'begins a key with a batch of none',
    fails: BATCHES,
    saying: /a batch of none, or a refused one, began its key/,
    breaks: (family) =>
      alterKeyed(family, {
        nextBatch: async (key, count, options) => {
          if (count === 0) await family.next(key);
          return family.nextBatch(key, count, options);
        },
      }),
  },
  {
    name: 'knows the highest id of its own calls only',
    fails: HIGHEST,
    saying: /the highest id is \d+ after \d+ was returned/,
    breaks: (family) => {
      const last = new Map<string, Id>();
      return alterKeyed(family, {
        next: async (key, options) => {
          const id = await family.next(key, options);
          last.set(key, id);
          return id;
        },
        nextBatch: async (key, count, options) => {
          const ids = await family.nextBatch(key, count, options);
          last.set(key, ids.at(-1) ?? 0);
          return ids;
        },
        highest: async (key, options) => {
          const highest = await family.highest(key, options);
          return highest && (last.get(key) ?? 1);
        },
      });
    },
  },
  {
    name: 'begins a key when its highest id is read twice',
    fails: HIGHEST,
    saying: /the highest id after it was asked for/,
    breaks: (family) => {
      const asked = new Set<string>();
      return alterKeyed(family, {
        highest: async (key, options) => {
          if (asked.has(key)) await family.next(key);
          asked.add(key);
          return family.highest(key, options);
        },
      });
    },
  },
  {
    name: 'reads 0 as the highest id of a key without ids',
    fails: HIGHEST,
    saying: /the highest id before the first/,
    breaks: (family) =>
      alterKeyed(family, { highest: async (key, options) => (await family.highest(key, options)) ?? 0 }),
  },
  {
    name: 'loses an id of the key b with each aborted call of another',
    fails: ABORT,
    saying: /ids of a key beside aborted calls of another/,
    breaks: (family) =>
      alterKeyed(family, {
        next: (key, options) => {
          options?.signal?.addEventListener('abort', () => void family.next('b').catch(() => undefined));
          return family.next(key, options);
        },
      }),
  },
  {
    name: 'rejects the waiting calls of all keys when one is aborted',
    fails: ABORT,
    saying: /a call of key . failed because another was aborted/,
    breaks: (family) => {
      const pending = new Set<(reason: unknown) => void>();
      return alterKeyed(family, {
        next: (key, options) =>
          new Promise((resolve, reject) => {
            pending.add(reject);
            const { signal } = options ?? {};
            signal?.addEventListener('abort', () => {
              for (const rejectOne of pending) rejectOne(signal.reason);
            });
            const taken = family.next(key, options);
            const settled = taken.then(resolve, reject);
            void settled.then(() => pending.delete(reject));
          }),
      });
    },
  },
  {
    name: 'loses ten numbers with each aborted call',
    fails: ABORT,
    saying: /\d+ numbers were skipped around calls that asked for \d+/,
    breaks: (family) =>
      alterKeyed(family, {
        next: (key, options) => {
          options?.signal?.addEventListener(
            'abort',
            () => void family.nextBatch(key, 10).catch(() => undefined),
          );
          return family.next(key, options);
        },
      }),
  },
  {
    name: 'counts for the key that was used last only',
    fails: COUNTS,
    saying: /idsIssued (must be|fell)/,
    breaks: (family) => {
      const issued = new Map<string, number>();
      let last = '';
      const note = (key: string, count: number): void => {
        last = key;
        issued.set(key, (issued.get(key) ?? 0) + count);
      };
      return alterKeyed(family, {
        next: async (key, options) => {
          const id = await family.next(key, options);
          note(key, 1);
          return id;
        },
        nextBatch: async (key, count, options) => {
          const ids = await family.nextBatch(key, count, options);
          note(key, count);
          return ids;
        },
        counters: () => ({ idsIssued: issued.get(last) ?? 0 }),
      });
    },
  },
  {
    name: 'settles the calls of the first key only when it is closed',
    fails: CLOSE,
    saying: /a call of group:1 was still pending after close\(\)/,
    breaks: (family) => {
      let closed = false;
      return alterKeyed(family, {
        next: (key, options) =>
          new Promise((resolve, reject) => {
            if (closed) void family.next(key, options).then(resolve, reject);
            else {
              const keep = (error: unknown): void =>
                void (closed && key !== 'group:0' ? undefined : reject(error));
              family.next(key, options).then(resolve, keep);
            }
          }),
        close: () => {
          closed = true;
          return family.close();
        },
      });
    },
  },
  {
    name: 'reads the highest id after it was closed',
    fails: CLOSE,
    saying: /highest after close\(\) must fail/,
    breaks: (family) =>
      alterKeyed(family, {
        highest: async (key, options) =>
          family.health().status === 'closed' ? undefined : family.highest(key, options),
      }),
  },
  {
    name: 'closes with the view of a key',
    fails: VIEWS,
    saying: /the close of one view broke another call of its key/,
    breaks: (family) =>
      alterKeyed(family, {
        of: (key) => {
          const view = family.of(key);
          return alter(view, { close: () => view.close().then(() => family.close()) });
        },
      }),
  },
  {
    name: 'has views that do not close',
    fails: VIEWS,
    saying: /a call of a closed view must fail/,
    breaks: (family) =>
      alterKeyed(family, {
        of: (key) => {
          const view = family.of(key);
          let status = view.health().status;
          const health = () => ({ status });
          const close = async () => {
            status = 'closed';
          };
          return alter(view, { health, close });
        },
      }),
  },
  {
    name: 'has one queue for all keys',
    fails: LOCKED,
    saying: /got no id while another key was locked/,
    breaks: (family) => {
      let last: Promise<unknown> = Promise.resolve();
      const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
        const result = last.then(work);
        last = result.catch(() => undefined);
        return result;
      };
      return alterKeyed(family, {
        next: (key, options) => inTurn(() => family.next(key, options)),
        nextBatch: (key, count, options) => inTurn(() => family.nextBatch(key, count, options)),
      });
    },
  },
  {
    name: 'forgets to abort the calls of a locked key',
    fails: LOCKED,
    saying: /a call of the locked key that was aborted/,
    breaks: (family) =>
      alterKeyed(family, {
        nextBatch: async (key, count, options) => family.nextBatch(key, count, key === 'held' ? {} : options),
      }),
  },
];
