import { setMaxListeners } from 'node:events';
import { type Guarantees, type Health, IdError, type RequestOptions, type SyncIdGenerator } from '@ids/core';
import { abortable, assertBatchCount, Lifecycle } from '@ids/core/strategy';
import { deepFreeze } from './deep-freeze.js';
import { TicketClient, type TicketContext } from './ticket-client.js';

export const segmentGuarantees: Guarantees = deepFreeze({
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'none' },
  gaps: 'on-restart',
  maxIdsLost: 1_000,
  sync: true,
  idType: 'bigint',
  text: { pattern: /[1-9]\d*/, maxLength: 16, sortable: false, caseSensitive: false },
  // The ticket server stands where a database would.
  backends: ['sql'],
  discloses: ['volume'],
});

const STEP = 1_000;

interface Waiter {
  readonly count: number;
  readonly serve: (ids: bigint[]) => void;
}

/**
 * Takes segments from the store and serves from memory; callers wait in a queue while a segment is fetched.
 */
export class SegmentInprocGenerator implements SyncIdGenerator<bigint> {
  readonly strategy = 'segments';
  readonly guarantees = segmentGuarantees;
  readonly #lifecycle = new Lifecycle('segments');
  readonly #client: Pick<TicketClient, 'add' | 'close'>;
  /** Ids in memory, in the order in which they will be given. */
  #buffer: bigint[] = [];
  #waiting: Waiter[] = [];
  #fetching = false;

  constructor(client: Pick<TicketClient, 'add' | 'close'>) {
    this.#client = client;
    // Every call under way hangs on this signal.
    setMaxListeners(0, this.#lifecycle.signal);
  }

  nextSync(): bigint {
    return first(this.nextBatchSync(1));
  }

  nextBatchSync(count: number): bigint[] {
    assertBatchCount(count);
    this.#lifecycle.assertOpen();
    if (this.#waiting.length > 0 || this.#buffer.length < count) {
      throw new IdError('ERR_IDS_NOT_READY', `segments: ${count} ids are not in memory, await ready()`);
    }
    return this.#buffer.splice(0, count);
  }

  async next(options?: RequestOptions): Promise<bigint> {
    return first(await this.#take(1, options));
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<bigint[]> {
    assertBatchCount(count);
    return this.#take(count, options);
  }

  async ready(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    if (this.#buffer.length > 0) return;
    // A request for nothing is served as soon as its turn comes, which is after a fetch.
    await this.#wait(0, options);
  }

  health(): Health {
    if (this.#lifecycle.closed) return { status: 'closed' };
    const remaining = this.#buffer.length;
    return { status: remaining > 0 ? 'ok' : 'down', remaining };
  }

  close(): Promise<void> {
    return this.#lifecycle.close(async () => this.#client.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #take(count: number, options?: RequestOptions): Promise<bigint[]> {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    if (this.#waiting.length > 0 || this.#buffer.length < count) return this.#wait(count, options);
    const ids = this.#buffer.splice(0, count);
    // One id stays for a synchronous caller: a generator that is ready remains so.
    if (this.#buffer.length === 0) void this.#fetch();
    return ids;
  }

  #wait(count: number, options?: RequestOptions): Promise<bigint[]> {
    const served = new Promise<bigint[]>((serve) => this.#waiting.push({ count, serve }));
    void this.#fetch();
    return abortable(abortable(served, this.#lifecycle.signal), options?.signal);
  }

  async #fetch(): Promise<void> {
    if (this.#fetching) return;
    this.#fetching = true;
    const wanted = this.#waiting.reduce((sum, { count }) => sum + count, STEP);
    const last = BigInt(await this.#client.add(wanted));
    for (let id = last - BigInt(wanted) + 1n; id <= last; id++) this.#buffer.push(id);
    for (let waiter = this.#waiting[0]; waiter !== undefined; waiter = this.#waiting[0]) {
      if (this.#buffer.length < waiter.count) break;
      waiter.serve(this.#buffer.splice(0, waiter.count));
      this.#waiting.shift();
    }
    this.#fetching = false;
    if (this.#waiting.length > 0) await this.#fetch();
  }
}

function first(ids: readonly bigint[]): bigint {
  const [id] = ids;
  if (id === undefined) throw new Error('a batch of one has one id');
  return id;
}

export async function open(context: TicketContext): Promise<SegmentInprocGenerator> {
  return new SegmentInprocGenerator(await TicketClient.open(context));
}
