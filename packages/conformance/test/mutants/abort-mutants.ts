import type { RequestOptions } from '@ids/core';
import { alter } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import { open as openSegments } from '../references/segments.js';
import { open as openTickets } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

const ABORTED_BEFORE = 'rejects with the reason of a signal that was aborted before the call';
const PENDING = 'rejects a call that waits as soon as its signal aborts';
const LOSS = 'skips no more numbers than aborted calls asked for';
const OTHERS = 'serves the other callers when one of them aborts';

export const abortMutants: readonly Mutant[] = [
  {
    name: 'rejects aborted calls with an error of its own',
    fails: ABORTED_BEFORE,
    saying: /next rejected with another reason/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        next: async (options) => {
          if (options?.signal?.aborted) throw new DOMException('aborted', 'AbortError');
          return generator.next(options);
        },
      });
    },
  },
  {
    name: 'ignores the signal of ready',
    fails: ABORTED_BEFORE,
    saying: /ready continued despite its signal/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, { ready: () => generator.ready() });
    },
  },
  {
    name: 'ignores the signal of nextBatch',
    fails: ABORTED_BEFORE,
    saying: /nextBatch continued despite its signal/,
    like: 'local',
    open: async () => {
      const generator = await openLocal();
      return alter(generator, { nextBatch: (count) => generator.nextBatch(count) });
    },
  },
  {
    name: 'looks at the signal of next before the call only',
    fails: PENDING,
    saying: /next was still waiting after its signal had aborted/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        next: async (options) => {
          options?.signal?.throwIfAborted();
          return generator.next();
        },
      });
    },
  },
  {
    name: 'looks at the signal of ready before the call only',
    fails: PENDING,
    saying: /ready was still waiting after its signal had aborted/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      return alter(generator, {
        ready: async (options) => {
          options?.signal?.throwIfAborted();
          return generator.ready();
        },
      });
    },
  },
  {
    name: 'serves calls that were aborted while they waited',
    fails: PENDING,
    saying: /next went on although its signal had aborted while it waited/,
    like: 'local',
    open: async () => {
      const generator = await openLocal();
      const waited = async <T>(take: () => T, { signal }: RequestOptions = {}): Promise<T> => {
        signal?.throwIfAborted();
        await new Promise<void>((resolve) => process.nextTick(resolve));
        return take();
      };
      return alter(generator, {
        next: (options) => waited(() => generator.nextSync(), options),
        nextBatch: (count, options) => waited(() => generator.nextBatchSync(count), options),
      });
    },
  },
  {
    name: 'loses a hundred numbers with each call that is aborted',
    fails: LOSS,
    saying: /\d{3,} numbers were skipped around aborted calls, which had asked for \d{2,3}$/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        next: async ({ signal } = {}) => {
          const lose = (): void => void generator.nextBatch(100);
          signal?.addEventListener('abort', lose);
          try {
            return await generator.next(signal && { signal });
          } finally {
            signal?.removeEventListener('abort', lose);
          }
        },
      });
    },
  },
  {
    name: 'takes a hundred numbers for each call whose signal was aborted before',
    fails: LOSS,
    saying: /\d{4} numbers were skipped around aborted calls, which had asked for \d{2}$/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        next: async (options) => {
          if (options?.signal?.aborted) void generator.nextBatch(100);
          return generator.next(options);
        },
      });
    },
  },
  {
    name: 'rejects all pending calls when one is aborted',
    fails: OTHERS,
    saying: /failed because another was aborted/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      const pending = new Set<(reason: unknown) => void>();
      return alter(generator, {
        next: (options) =>
          new Promise((resolve, reject) => {
            pending.add(reject);
            options?.signal?.addEventListener('abort', () => {
              for (const rejectOne of pending) rejectOne(options.signal?.reason);
            });
            generator
              .next()
              .then(resolve, reject)
              .finally(() => pending.delete(reject));
          }),
      });
    },
  },
  {
    name: 'forgets the callers that abort',
    fails: OTHERS,
    saying: /did not settle after another was aborted/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      return alter(generator, {
        next: (options) =>
          new Promise((resolve) => {
            void generator.next().then((id) => options?.signal?.aborted || resolve(id));
          }),
      });
    },
  },
  {
    name: 'gives a batch less when another caller aborts',
    fails: OTHERS,
    saying: /call \d+ got too few ids/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      let aborted = false;
      return alter(generator, {
        next: (options) => {
          options?.signal?.addEventListener('abort', () => {
            aborted = true;
          });
          return generator.next(options);
        },
        nextBatch: async (count, options) => {
          const ids = await generator.nextBatch(count, options);
          return aborted ? ids.slice(1) : ids;
        },
      });
    },
  },
  {
    name: 'gives the id of a caller that aborts to another one as well',
    fails: OTHERS,
    saying: /given twice/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      const returned: number[] = [];
      return alter(generator, {
        next: async (options) => {
          const id = returned.pop() ?? (await generator.next());
          if (options?.signal?.aborted) returned.push(id);
          return id;
        },
      });
    },
  },
  {
    name: 'leaves a listener on each signal',
    fails: 'leaves no listener on a signal once the call has settled',
    saying: /listeners would accumulate/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        next: async (options) => {
          options?.signal?.addEventListener('abort', () => undefined);
          return generator.next();
        },
      });
    },
  },
];
