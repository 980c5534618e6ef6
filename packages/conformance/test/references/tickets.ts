import type { Guarantees, Health, IdGenerator, RequestOptions } from '@ids/core';
import { abortable, assertBatchCount, Lifecycle } from '@ids/core/strategy';
import { deepFreeze } from './deep-freeze.js';
import { TicketClient, type TicketContext } from './ticket-client.js';

export const ticketGuarantees: Guarantees = deepFreeze({
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'real-time' },
  gaps: 'never',
  sync: false,
  idType: 'number',
  text: { pattern: /[1-9]\d*/, maxLength: 16, sortable: false, caseSensitive: false },
  // The ticket server stands where a database would.
  backends: ['sql'],
  discloses: ['volume'],
});

/** Asks the store for every id: ordered in the whole cluster, nothing kept in memory. */
export class TicketGenerator implements IdGenerator<number> {
  readonly strategy = 'tickets';
  readonly guarantees = ticketGuarantees;
  readonly #lifecycle = new Lifecycle('tickets');
  readonly #client: Pick<TicketClient, 'add' | 'close'>;
  /** Requests under way: close() waits for them, so that no number is left out. */
  readonly #asked = new Set<Promise<number>>();

  constructor(client: Pick<TicketClient, 'add' | 'close'>) {
    this.#client = client;
  }

  async next(options?: RequestOptions): Promise<number> {
    const [id] = await this.#take(1, options);
    if (id === undefined) throw new Error('a batch of one has one id');
    return id;
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<number[]> {
    assertBatchCount(count);
    return this.#take(count, options);
  }

  async ready(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
  }

  health(): Health {
    return { status: this.#lifecycle.closed ? 'closed' : 'ok' };
  }

  close(): Promise<void> {
    return this.#lifecycle.close(async () => {
      await Promise.allSettled(this.#asked);
      this.#client.close();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #take(count: number, options?: RequestOptions): Promise<number[]> {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    const asked = this.#client.add(count);
    this.#asked.add(asked);
    asked.finally(() => this.#asked.delete(asked)).catch(() => undefined);
    const last = await abortable(asked, options?.signal);
    return Array.from({ length: count }, (_, index) => last - count + 1 + index);
  }
}

export async function open(context: TicketContext): Promise<TicketGenerator> {
  return new TicketGenerator(await TicketClient.open(context));
}
