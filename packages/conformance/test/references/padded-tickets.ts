import type { Guarantees, IdGenerator } from '@ids/core';
import { alter, mapIds } from './alter.js';
import { deepFreeze } from './deep-freeze.js';
import type { TicketContext } from './ticket-client.js';
import { open as openTickets, ticketGuarantees } from './tickets.js';

const WIDTH = 16;

export const paddedTicketGuarantees: Guarantees = deepFreeze({
  ...ticketGuarantees,
  idType: 'string',
  text: { pattern: /\d{16}/, maxLength: WIDTH, sortable: true, caseSensitive: false },
});

/** Tickets as texts of one width, which sort as the numbers do. */
export async function open(context: TicketContext): Promise<IdGenerator> {
  const padded = mapIds(await openTickets(context), (id) => String(id).padStart(WIDTH, '0'));
  return alter(padded, { guarantees: paddedTicketGuarantees });
}
