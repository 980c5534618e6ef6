import type { ConformanceSubject } from '../../src/index.js';
import { compareLocal, localGuarantees, skippedLocal } from './local.js';
import { paddedTicketGuarantees } from './padded-tickets.js';
import { segmentGuarantees } from './segments.js';
import { skippedStamps, stampGuarantees } from './stamps.js';
import type { TicketContext } from './ticket-client.js';
import { ticketGuarantees } from './tickets.js';

export type ReferenceName = 'tickets' | 'paddedTickets' | 'segments' | 'stamps' | 'local';

/** Generators that keep the contract, one for each kind of claim. `port` is that of a ticket server. */
export function references(port: number): Record<ReferenceName, ConformanceSubject<TicketContext>> {
  let contexts = 0;
  const fresh = async (): Promise<TicketContext> => ({ port, name: `counter-${++contexts}` });
  const at = (file: string): URL => new URL(file, import.meta.url);
  return {
    tickets: { name: 'tickets', module: at('./tickets.ts'), guarantees: ticketGuarantees, fresh },
    paddedTickets: {
      name: 'padded tickets',
      module: at('./padded-tickets.ts'),
      guarantees: paddedTicketGuarantees,
      fresh,
    },
    segments: { name: 'segments', module: at('./segments.ts'), guarantees: segmentGuarantees, fresh },
    stamps: {
      name: 'stamps',
      module: at('./stamps.ts'),
      guarantees: stampGuarantees,
      skipped: skippedStamps,
      fresh,
    },
    local: {
      name: 'local',
      module: at('./local.ts'),
      guarantees: localGuarantees,
      compare: compareLocal,
      skipped: skippedLocal,
      fresh,
    },
  };
}
