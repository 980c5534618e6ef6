import { setImmediate } from 'node:timers/promises';
import { IdError, type IdGenerator } from '@ids/core';
import { alter } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import { open as openSegments } from '../references/segments.js';
import { TicketClient, type TicketContext } from '../references/ticket-client.js';
import { open as openTickets, TicketGenerator } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

const CLOSES_ONCE = 'closes once, however often close is called';
const REFUSES = 'rejects every call after close';
const CLOSING = 'rejects calls that are made while it closes';
const PENDING = 'settles the calls that are pending when it is closed';
const ERRORS = 'fails with errors that carry a code and say whether to retry';

export const lifecycleMutants: readonly Mutant[] = [
  {
    name: 'fails when it is closed a second time',
    fails: CLOSES_ONCE,
    saying: /close\(\) number 2 did not resolve: Error: already closed/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        close: async () => {
          if (generator.health().status === 'closed') throw new Error('already closed');
          await generator.close();
        },
      });
    },
  },
  {
    name: 'never ends its close',
    fails: CLOSES_ONCE,
    saying: /close\(\) number 1 did not resolve: pending/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        close: () => {
          const wasOpen = generator.health().status !== 'closed';
          return generator.close().then(() => (wasOpen ? new Promise(() => undefined) : undefined));
        },
      });
    },
  },
  {
    name: 'stays open after an `await using` block',
    fails: 'closes at the end of an `await using` block',
    saying: /'ok'/,
    like: 'tickets',
    open: async (context) =>
      alter(await openTickets(context), { [Symbol.asyncDispose]: async () => undefined }),
  },
  {
    name: 'never closes',
    fails: REFUSES,
    saying: /Missing expected rejection/,
    like: 'tickets',
    open: async (context) => alter(await openTickets(context), { close: async () => undefined }),
  },
  {
    name: 'goes on with its synchronous calls after close',
    fails: REFUSES,
    saying: /Missing expected rejection/,
    like: 'local',
    open: async () => {
      const [generator, other] = [await openLocal(), await openLocal()];
      return alter(generator, { nextSync: () => other.nextSync() });
    },
  },
  {
    name: 'refuses calls after close with the error of its connection',
    fails: REFUSES,
    saying: /next must fail with ERR_IDS_CLOSED/,
    like: 'tickets',
    open: async (context) => afterClose(context, () => new Error('socket has been ended')),
  },
  {
    name: 'goes on until its close has ended',
    fails: CLOSING,
    saying: /next must fail with ERR_IDS_CLOSED while it closes/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      let closing = false;
      return alter(generator, {
        health: () => ({ status: closing ? 'closed' : 'ok' }),
        close: () => {
          closing = true;
          return setImmediate().then(() => generator.close());
        },
      });
    },
  },
  {
    name: 'goes on with its synchronous calls until its close has ended',
    fails: CLOSING,
    saying: /nextSync must fail with ERR_IDS_CLOSED while it closes/,
    like: 'local',
    open: async () => {
      const [generator, other] = [await openLocal(), await openLocal()];
      return alter(generator, {
        nextSync: () => other.nextSync(),
        close: async () => {
          await generator.close();
          await setImmediate();
          await other.close();
        },
      });
    },
  },
  {
    name: 'leaves pending calls hanging when it is closed',
    fails: PENDING,
    saying: /was still pending after close/,
    like: 'tickets',
    open: async (context) => {
      const [generator, client] = [await openTickets(context), await TicketClient.open(context)];
      return alter(generator, {
        next: () => client.add(1),
        close: () => {
          client.close();
          return generator.close();
        },
      });
    },
  },
  {
    name: 'leaves ready hanging when it is closed',
    fails: PENDING,
    saying: /call 40 of 42 was still pending after close/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      return alter(generator, {
        ready: () =>
          new Promise((resolve) => {
            generator.ready().then(resolve, () => undefined);
          }),
      });
    },
  },
  {
    name: 'ends pending batches with the ids that it has at the time',
    fails: PENDING,
    saying: /pending call 0 asked for 50 ids and got 49/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      return alter(generator, {
        nextBatch: async (count, options) => {
          const ids = await generator.nextBatch(count, options);
          return generator.health().status === 'closed' ? ids.slice(1) : ids;
        },
      });
    },
  },
  {
    name: 'rejects pending calls with the error of its connection',
    fails: PENDING,
    saying: /must fail with ERR_IDS_CLOSED/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      return alter(generator, {
        next: () =>
          generator.next().catch(() => {
            throw new Error('socket has been ended');
          }),
      });
    },
  },
  {
    name: 'fails with errors that only look like an IdError by their code',
    fails: ERRORS,
    saying: /no IdError/,
    like: 'tickets',
    open: async (context) =>
      afterClose(context, () => Object.assign(new Error('closed'), { code: 'ERR_IDS_CLOSED' })),
  },
  {
    name: 'fails with texts',
    fails: ERRORS,
    saying: /no Error/,
    like: 'tickets',
    open: async (context) => afterClose(context, () => 'closed'),
  },
  {
    name: 'advises to try again what can never succeed',
    fails: ERRORS,
    saying: /no retry opens a closed generator/,
    like: 'tickets',
    open: async (context) =>
      afterClose(context, () =>
        Object.defineProperty(new IdError('ERR_IDS_CLOSED', 'closed'), 'retryable', { value: true }),
      ),
  },
  {
    name: 'does not say that a cold buffer is worth another try',
    fails: ERRORS,
    saying: /ERR_IDS_UNAVAILABLE/,
    like: 'segments',
    open: async (context) =>
      alter(await openSegments(context), {
        nextSync: () => {
          throw new IdError('ERR_IDS_UNAVAILABLE', 'nothing in memory');
        },
      }),
  },
  {
    name: 'closes a connection that it shares with others',
    fails: 'leaves another generator on the same set-up alone when it closes',
    saying: /closing one generator broke another/,
    like: 'tickets',
    open: async (context) => {
      const client = await sharedClient(context);
      return new TicketGenerator(client);
    },
  },
];

const clients = new Map<string, Promise<TicketClient>>();

function sharedClient(context: TicketContext): Promise<TicketClient> {
  const known = clients.get(context.name) ?? TicketClient.open(context);
  clients.set(context.name, known);
  return known;
}

/** Tickets whose `next` fails with `error` once they are closed. */
async function afterClose(context: TicketContext, error: () => unknown): Promise<IdGenerator> {
  const generator = await openTickets(context);
  return alter(generator, {
    next: async () => {
      if (generator.health().status === 'closed') throw error();
      return generator.next();
    },
  });
}
