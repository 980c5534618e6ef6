// Generators that fail or never answer, opened in child processes by the tests of recordings.
import { IdError, type IdGenerator } from '@ids/core';
import { alter } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import type { TicketContext } from '../references/ticket-client.js';
import { open as openTickets } from '../references/tickets.js';

export interface OddContext extends Partial<TicketContext> {
  readonly odd: keyof typeof odd;
}

const odd = {
  /** Cannot be opened. */
  brokenOpen: async (): Promise<IdGenerator> => {
    throw new Error('the door is jammed');
  },
  /** Fails its third call and every tenth after it. */
  unreliable: async () => {
    const generator = await openLocal();
    let calls = 0;
    return alter(generator, {
      next: async () => {
        if (++calls % 10 === 3) throw new IdError('ERR_IDS_UNAVAILABLE', `call ${calls} met a dead backend`);
        return generator.next();
      },
    });
  },
  /** Never answers its fifth call. */
  silent: async () => {
    const generator = await openLocal();
    let calls = 0;
    return alter(generator, {
      next: () => (++calls === 5 ? new Promise(() => undefined) : generator.next()),
    });
  },
  /** Never ends its close. */
  clinging: async () => alter(await openLocal(), { close: () => new Promise(() => undefined) }),
  /** Throws where nobody awaits. */
  careless: async () => {
    setImmediate(() => {
      throw new Error('thrown in the background');
    });
    return alter(await openLocal(), { next: () => new Promise(() => undefined) });
  },
  /** Ends its process in the middle of the work. */
  leaving: async () => {
    const generator = await openLocal();
    let calls = 0;
    return alter(generator, { next: () => (++calls === 100 ? process.exit(7) : generator.next()) });
  },
  /** Notes each call. */
  noting: async (_: Partial<TicketContext>, note: (event: string) => void) => {
    const generator = await openLocal();
    return alter(generator, {
      next: () => {
        note('call');
        return generator.next();
      },
    });
  },
  tickets: ({ port = 0, name = '' }: Partial<TicketContext>) => openTickets({ port, name }),
};

export function open(
  { odd: kind, ...context }: OddContext,
  note: (event: string) => void,
): Promise<IdGenerator> {
  return odd[kind](context, note);
}
