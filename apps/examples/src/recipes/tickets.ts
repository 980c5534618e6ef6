import type { KeyedIdGenerator } from '@ids/core';
import { parseTicket } from '@ids/segment';

export interface Ticket {
  /** For the database: unique for this counter for ever, and greater than those before. */
  readonly id: number;
  /** What is printed: `counter-3 007`. */
  readonly label: string;
}

/** Draws the next ticket of a counter. Its first one each day has the number 1. */
export async function drawTicket(tickets: KeyedIdGenerator<number>, counter: string): Promise<Ticket> {
  const id = await tickets.next(counter);
  const { number } = parseTicket(id);
  return { id, label: `${counter} ${String(number).padStart(3, '0')}` };
}
