import { randomUUID } from 'node:crypto';
import type {
  Guarantees,
  Health,
  IdGenerator,
  KeyedIdGenerator,
  KeyedRequestOptions,
  RequestOptions,
} from '@ids/core';
import { abortable, assertBatchCount, Lifecycle } from '@ids/core/strategy';
import type { KeyedConformanceSubject } from '../../src/index.js';
import { baseAt } from '../../src/keyed/days.js';
import { deepFreeze } from './deep-freeze.js';
import { TicketClient, type TicketContext } from './ticket-client.js';
import { ticketGuarantees } from './tickets.js';

export const keyedTicketGuarantees: Guarantees = deepFreeze({
  ...ticketGuarantees,
  within: 'key' as const,
  // Calls of a locked key may wait for ever, and are given up at the end.
  gaps: 'on-fault' as const,
});

/** Asks the store for every id of every key, and keeps nothing. */
export class KeyedTickets implements KeyedIdGenerator<number> {
  readonly strategy = 'keyed tickets';
  readonly guarantees = keyedTicketGuarantees;
  readonly #lifecycle = new Lifecycle('keyed tickets');
  readonly #client: TicketClient;
  readonly #name: string;
  readonly #daysAheadMs: number | undefined;
  #issued = 0;

  static async open(context: TicketContext): Promise<KeyedTickets> {
    return new KeyedTickets(await TicketClient.open(context), context);
  }

  private constructor(client: TicketClient, { name, daysAheadMs }: TicketContext) {
    this.#client = client;
    this.#name = name;
    this.#daysAheadMs = daysAheadMs;
  }

  async next(key: string, options?: KeyedRequestOptions): Promise<number> {
    return this.#take(key, 1, options);
  }

  async nextBatch(key: string, count: number, options?: KeyedRequestOptions): Promise<number[]> {
    assertBatchCount(count);
    if (count === 0) return this.#assertUsable(key, options) ?? [];
    const last = await this.#take(key, count, options);
    return Array.from({ length: count }, (_, index) => last - count + 1 + index);
  }

  of(key: string): IdGenerator<number> {
    assertKey(key);
    return new KeyView(this, key);
  }

  async highest(key: string, options?: RequestOptions): Promise<number | undefined> {
    this.#assertUsable(key, options);
    const value = await this.#client.ask({ op: 'get', name: nameOf(this.#name, key) });
    return value === 0 ? undefined : value;
  }

  async ready(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
  }

  health(): Health {
    return { status: this.#lifecycle.closed ? 'closed' : 'ok' };
  }

  counters(): { idsIssued: number } {
    return { idsIssued: this.#issued };
  }

  close(): Promise<void> {
    return this.#lifecycle.close(async () => this.#client.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertUsable(key: string, options: RequestOptions | undefined): undefined {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    assertKey(key);
  }

  /** The id before the first one of the day. */
  get #base(): number {
    if (this.#daysAheadMs === undefined) return 0;
    return baseAt({ by: 'day', timeZone: '' }, Date.now(), this.#daysAheadMs);
  }

  /** The last of `count` ids. */
  async #take(key: string, count: number, options: KeyedRequestOptions = {}): Promise<number> {
    this.#assertUsable(key, options);
    const { startAfter = 0, signal } = options;
    if (!Number.isSafeInteger(startAfter) || startAfter < 0) throw new RangeError(`startAfter ${startAfter}`);
    const name = nameOf(this.#name, key);
    const asked = this.#client.ask({ op: 'add', name, count, startAfter, base: this.#base });
    const last = await abortable(abortable(asked, signal), this.#lifecycle.signal);
    this.#issued += count;
    return last;
  }
}

class KeyView implements IdGenerator<number> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly #family: KeyedTickets;
  readonly #key: string;
  readonly #lifecycle = new Lifecycle('keyed tickets');

  constructor(family: KeyedTickets, key: string) {
    const { within: _within, ...ofOneKey } = family.guarantees;
    this.strategy = family.strategy;
    this.guarantees = deepFreeze(ofOneKey);
    this.#family = family;
    this.#key = key;
  }

  async next(options?: RequestOptions): Promise<number> {
    this.#lifecycle.assertOpen();
    return this.#family.next(this.#key, options);
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<number[]> {
    this.#lifecycle.assertOpen();
    return this.#family.nextBatch(this.#key, count, options);
  }

  async ready(options?: RequestOptions): Promise<void> {
    this.#lifecycle.assertOpen();
    return this.#family.ready(options);
  }

  health(): Health {
    return this.#lifecycle.closed ? { status: 'closed' } : this.#family.health();
  }

  close(): Promise<void> {
    return this.#lifecycle.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function assertKey(key: unknown): void {
  if (typeof key !== 'string' || /\p{Surrogate}/u.test(key)) throw new TypeError(`key ${String(key)}`);
  if (Buffer.byteLength(key) > 255) throw new RangeError('key of more than 255 bytes');
}

/** Of an offset such as `+08:00:15`, in milliseconds. */
function offsetMsOf(timeZone: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = timeZone.slice(1).split(':').map(Number);
  return (timeZone.startsWith('-') ? -1_000 : 1_000) * (3_600 * hours + 60 * minutes + seconds);
}

const nameOf = (name: string, key: string): string => `${name}/${key}`;

/** The reference for keyed generators. `port` is that of a ticket server. */
export function keyedReference(port: number): KeyedConformanceSubject<TicketContext> {
  return {
    name: 'keyed tickets',
    module: new URL(import.meta.url),
    guarantees: keyedTicketGuarantees,
    fresh: async () => ({ port, name: `family-${randomUUID()}` }),
    freshGroup: async ({ timeZone }) => ({
      port,
      name: `family-${randomUUID()}`,
      daysAheadMs: offsetMsOf(timeZone),
    }),
    lockKey: async (context, key) => {
      const client = await TicketClient.open(context);
      const name = nameOf(context.name, key);
      await client.ask({ op: 'lock', name });
      return async () => {
        await client.ask({ op: 'unlock', name });
        client.close();
      };
    },
  };
}

export const openKeyed = (context: TicketContext): Promise<KeyedIdGenerator> => KeyedTickets.open(context);
