import { TicketGenerator } from '../references/tickets.js';

/** Tickets without a store, for faults that show in one generator: a long draw then needs no round trips. */
export async function memoryTickets(): Promise<TicketGenerator> {
  let last = 0;
  return new TicketGenerator({
    add: async (count) => {
      last += count;
      return last;
    },
    close: () => undefined,
  });
}
