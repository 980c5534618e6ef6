import { setImmediate } from 'node:timers/promises';
import { type Id, IdError, type IdGenerator, type RequestOptions, type SyncIdGenerator } from '@ids/core';
import { abortable, assertBatchCount, memoryGenerator } from '@ids/core/strategy';
import { alter, mapIds } from '../references/alter.js';
import { localGuarantees, open as openLocal } from '../references/local.js';
import { open as openPadded } from '../references/padded-tickets.js';
import { open as openSegments, SegmentInprocGenerator } from '../references/segments.js';
import { TicketClient, type TicketContext } from '../references/ticket-client.js';
import { open as openTickets, TicketGenerator } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

const NO_FAULT = 'skips no number while nothing fails';
const SET_ASIDE = 'sets no more ids aside than it claims, whichever call issued the last one';
const CLOSE = 'loses no more ids than it claims when it is closed with calls pending';
const RESTART = 'skips no number across a restart';

export const gapMutants: readonly Mutant[] = [
  {
    name: 'loses the last id of every segment',
    fails: NO_FAULT,
    saying: /does not follow/,
    like: 'segments',
    open: async (context) => {
      const client = await TicketClient.open(context);
      return new SegmentInprocGenerator({
        add: async (count) => (await client.add(count + 1)) - 1,
        close: () => client.close(),
      });
    },
  },
  ...(['health', 'counters', 'ready'] as const).map(
    (look): Mutant => ({
      name: `uses an id up for each call of ${look}`,
      fails: NO_FAULT,
      saying: /does not follow/,
      like: 'tickets',
      open: async (context) => {
        const generator = await openTickets(context);
        return alter(generator, {
          [look]: (options?: RequestOptions) => {
            void generator.next().catch(() => undefined);
            return look === 'counters' ? {} : generator[look](options);
          },
        });
      },
    }),
  ),
  {
    name: 'wastes an id in each synchronous batch',
    fails: NO_FAULT,
    saying: /does not follow/,
    like: 'local',
    open: async () => {
      const generator = await openLocal();
      return alter(generator, {
        nextBatchSync: (count) => {
          const ids = generator.nextBatchSync(count);
          generator.nextSync();
          return ids;
        },
      });
    },
  },
  {
    name: 'drops the rest of its segment when it is closed',
    fails: RESTART,
    saying: /id 1002 \(number 26\) does not follow 25/,
    like: 'segments',
    claims: { gaps: 'on-fault' },
    open: openSegments,
  },
  {
    name: 'sets a whole segment aside and admits ten ids',
    fails: SET_ASIDE,
    saying: /1000 ids were set aside after a batch of 10, admitted: 0 to 10$/,
    like: 'segments',
    claims: { maxIdsLost: 10 },
    open: openSegments,
  },
  {
    name: 'serves single calls from a cache of 1,000 ids and says that none are set aside',
    fails: SET_ASIDE,
    saying: /999 ids were set aside after 1 id by next, admitted: 0 to 0$/,
    like: 'tickets',
    claims: { maxIdsLost: 0 },
    open: async (context) => {
      const generator = await openTickets(context);
      const cache: number[] = [];
      return alter(generator, {
        next: async (options) => {
          if (cache.length === 0) cache.push(...(await generator.nextBatch(1_000, options)));
          return cache.shift() ?? 0;
        },
      });
    },
  },
  {
    name: 'sets ids aside for synchronous calls only',
    fails: SET_ASIDE,
    saying: /ids were set aside after 30 ids by nextSync, admitted: 0 to 0$/,
    like: 'local',
    claims: { maxIdsLost: 0 },
    open: async (context) => {
      const generator = countedApart(context);
      const cache: string[] = [];
      return alter(generator, {
        nextSync: () => {
          if (cache.length === 0) cache.push(...generator.nextBatchSync(100));
          return cache.shift() ?? '';
        },
      });
    },
  },
  {
    name: 'sets strings aside and says that it does not',
    fails: SET_ASIDE,
    saying: /99 ids were set aside after 1 id by next, admitted: 0 to 0$/,
    like: 'local',
    claims: { maxIdsLost: 0 },
    open: async (context) => {
      const generator = countedApart(context);
      const cache: string[] = [];
      return alter(generator, {
        next: async () => {
          if (cache.length === 0) cache.push(...generator.nextBatchSync(100));
          return cache.shift() ?? '';
        },
      });
    },
  },
  {
    name: 'leaves every 10,000th number out of its strings',
    fails: NO_FAULT,
    saying: /id 0\/\d+ \(number \d+\) does not follow 0\/\d+/,
    like: 'local',
    open: async (context) => {
      const generator = countedApart(context);
      return mapIds(generator, (id, index) => (index % 10_000 === 9_999 ? generator.nextSync() : id));
    },
  },
  {
    name: 'starts its strings anew at the next thousand when it is opened again',
    fails: RESTART,
    saying: /id 0{12}1000 \(number 26\) does not follow 0{14}25/,
    like: 'paddedTickets',
    open: async (context) => {
      const client = await TicketClient.open(context);
      const reached = await client.get();
      if (reached > 0) await client.set(Math.ceil(reached / 1_000) * 1_000 - 1);
      client.close();
      return openPadded(context);
    },
  },
  {
    name: 'gives ids that nobody can count, and says that none are left out',
    fails: NO_FAULT,
    saying: /the subject must count them, in skipped\(\)/,
    like: 'paddedTickets',
    claims: { text: { pattern: /n\d{16}/, maxLength: 17, sortable: true } },
    open: async (context) => mapIds(await openPadded(context), (id) => `n${id}`),
  },
  {
    name: 'drops what was reserved for pending calls when it is closed',
    fails: CLOSE,
    saying: /70 ids were lost at close\(\) with calls pending \(round 1\), admitted: 0$/,
    like: 'tickets',
    open: async (context) => dropsPending(await openTickets(context)),
  },
  {
    name: 'drops the strings of pending calls when it is closed, and says that it sets none aside',
    fails: CLOSE,
    saying: /70 ids were lost at close\(\) with calls pending \(round 1\), admitted: 0$/,
    like: 'local',
    claims: { maxIdsLost: 0 },
    open: async (context) => dropsPending(countedApart(context)),
  },
  {
    name: 'reserves a thousand ids more for calls that are pending when it is closed',
    fails: CLOSE,
    saying: /\d{3,} ids were lost at close\(\) with calls pending \(round 1\), admitted: \d+$/,
    like: 'tickets',
    claims: { gaps: 'on-fault' },
    open: async (context) => {
      const generator = await openTickets(context);
      let pending = 0;
      return alter(generator, {
        next: async (options) => {
          pending += 1;
          const id = await generator.next(options);
          pending -= 1;
          return id;
        },
        close: async () => {
          if (pending > 0) await (await openTickets(context)).nextBatch(1_000);
          await generator.close();
        },
      });
    },
  },
  {
    name: 'gives pending calls numbers that nobody has reserved when it is closed',
    fails: CLOSE,
    saying: /id 2 is not after \d+, an id that was issued before/,
    like: 'tickets',
    open: async (context) => {
      const client = await TicketClient.open(context);
      let [closed, last] = [false, await client.get()];
      const generator = new TicketGenerator({
        add: async (count) => {
          await setImmediate();
          last = closed ? last + count : await client.add(count);
          return last;
        },
        close: () => client.close(),
      });
      const close = (): Promise<void> => {
        closed = true;
        return generator.close();
      };
      return alter(generator, { close, [Symbol.asyncDispose]: close });
    },
  },
  {
    name: 'reserves 10,000 ids for a batch of 30,000',
    fails: SET_ASIDE,
    saying: /-20000 ids were set aside after a batch of 30000, admitted: 0 to 0$/,
    like: 'tickets',
    claims: { maxIdsLost: 0, order: { process: 'increasing', cluster: 'none' } },
    open: async (context) => {
      const client = await TicketClient.open(context);
      return new TicketGenerator({
        add: async (count) => {
          const reserved = count === 30_000 ? 10_000 : count;
          return (await client.add(reserved)) + count - reserved;
        },
        close: () => client.close(),
      });
    },
  },
  {
    name: 'takes larger segments after thousands of single ids',
    fails: SET_ASIDE,
    saying: /6000 ids were set aside after 20000 ids by next, 500 at once, admitted: 0 to 1000$/,
    like: 'tickets',
    claims: { gaps: 'on-restart', maxIdsLost: 1_000, order: { process: 'increasing', cluster: 'none' } },
    open: async (context) => growingSegments(await openTickets(context)),
  },
  {
    name: 'starts at 1 again when it finds no counter',
    fails: RESTART,
    saying: /id 1 \(number 26\) does not follow 25/,
    like: 'tickets',
    open: async (context) => {
      const client = await TicketClient.open(context);
      await client.set(0);
      return new TicketGenerator(client);
    },
  },
];

/** Segments of 500 ids, and of 7,000 once 5,000 single ids were issued. */
function growingSegments(generator: IdGenerator): IdGenerator {
  const held: Id[] = [];
  let singles = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const take = (count: number): Promise<Id[]> => {
    const taken = turn.then(async () => {
      while (held.length < count) held.push(...(await generator.nextBatch(singles < 5_000 ? 500 : 7_000)));
      return held.splice(0, count);
    });
    turn = taken.catch(() => undefined);
    return taken;
  };
  return alter(generator, {
    next: async (options) => {
      await generator.ready(options);
      const [id = 0] = await abortable(take(1), options?.signal);
      singles += 1;
      return id;
    },
    nextBatch: async (count, options) => {
      assertBatchCount(count);
      await generator.ready(options);
      return abortable(take(count), options?.signal);
    },
  });
}

/** Takes the ids of every call, and rejects the calls that a close overtakes. */
function dropsPending(generator: IdGenerator): IdGenerator {
  let closed = false;
  const unlessClosed = async <T>(ids: Promise<T>): Promise<T> => {
    const taken = await ids;
    await setImmediate();
    if (closed) throw new IdError('ERR_IDS_CLOSED', 'closed before the ids came');
    return taken;
  };
  return alter(generator, {
    next: (options) => unlessClosed(generator.next(options)),
    nextBatch: (count, options) => unlessClosed(generator.nextBatch(count, options)),
    close: () => {
      closed = true;
      return generator.close();
    },
  });
}

const counters = new Map<string, number>();

/**
 * As the reference `local`, with a count for each set-up: mutants that run at the same time
 * would see gaps otherwise.
 */
function countedApart({ name }: TicketContext): SyncIdGenerator<string> {
  return memoryGenerator({
    strategy: 'local',
    guarantees: localGuarantees,
    issue: () => {
      const issued = (counters.get(name) ?? 0) + 1;
      counters.set(name, issued);
      return `0/${issued}`;
    },
  });
}
