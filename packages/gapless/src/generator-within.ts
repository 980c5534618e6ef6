import {
  type Counters,
  type Health,
  IdError,
  type IdGenerator,
  isIdError,
  type RequestOptions,
} from '@ids/core';
import { assertBatchCount, defineGuarantees, Lifecycle } from '@ids/core/strategy';
import { take } from './next-within.js';
import { type NumberOptions, requestOf, type Series, type TakeOptions } from './number-options.js';
import type { NumberRequest } from './table/request.js';
import { recogniseTransaction } from './transaction/recognise.js';

/**
 * The numbers of one key as a generator, for functions that take one, such as `encodeIds`. It belongs to one
 * transaction, which it neither begins nor ends: its guarantees hold for numbers whose transaction commits.
 * Calls reject with `ERR_IDS_CONFIG` once no transaction is open any more. If the connection has begun
 * another transaction by then, their numbers belong to that one.
 *
 * A signal ends a call whose turn has not come. Once its statement was sent, the call ignores the signal,
 * since a number that nobody gets would be a gap. `close` waits for pending calls, and leaves the transaction
 * alone.
 *
 * Throws at once for invalid options and for anything but a transaction. Calls reject like `nextWithin`.
 */
export function generatorWithin(
  tx: unknown,
  series: string | Series,
  key = '',
  options: NumberOptions = {},
): IdGenerator<number> {
  recogniseTransaction(tx);
  if ((options as TakeOptions).reference !== undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'option "reference": a generator takes none, since each of its numbers is another one; pass it to nextWithin',
    );
  }
  return new WithinGenerator(tx, requestOf(series, key, 1, options));
}

const GUARANTEES = defineGuarantees({
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'real-time' },
  gaps: 'never',
  maxIdsLost: 0,
  sync: false,
  idType: 'number',
  text: { pattern: /^[1-9]\d*$/, alphabet: '0123456789', minLength: 1, maxLength: 16, sortable: false },
  backends: ['sql'],
  discloses: ['volume'],
});

class WithinGenerator implements IdGenerator<number> {
  readonly strategy = 'gapless';
  readonly guarantees = GUARANTEES;
  readonly #tx: unknown;
  readonly #request: NumberRequest;
  readonly #lifecycle = new Lifecycle(this.strategy);
  /** Settles with the last call: they settle in turn. Never rejects. */
  #lastCall = Promise.resolve();
  #lastError: Health['lastError'];
  #issued = 0;

  constructor(tx: unknown, request: NumberRequest) {
    this.#tx = tx;
    this.#request = request;
  }

  async next(options?: RequestOptions): Promise<number> {
    return await this.#take(1, options);
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<number[]> {
    this.#lifecycle.assertOpen();
    assertBatchCount(count);
    options?.signal?.throwIfAborted();
    if (count === 0) return [];
    const last = await this.#take(count, options);
    return Array.from({ length: count }, (_, index) => last - count + 1 + index);
  }

  /** Asks nothing of the database: whether a number can be had is known once it is. */
  async ready(options?: RequestOptions): Promise<void> {
    this.#lifecycle.assertOpen();
    options?.signal?.throwIfAborted();
  }

  health(): Health {
    if (this.#lifecycle.closed) return { status: 'closed', remaining: 0 };
    return this.#lastError === undefined ? { status: 'ok' } : { status: 'down', lastError: this.#lastError };
  }

  counters(): Counters {
    return { idsIssued: this.#issued };
  }

  close(): Promise<void> {
    return this.#lifecycle.close(() => this.#lastCall);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The last of `count` numbers. */
  #take(count: number, options: RequestOptions | undefined): Promise<number> {
    this.#lifecycle.assertOpen();
    const call = take(this.#tx, { ...this.#request, count }, options?.signal);
    this.#lastCall = call.then(
      () => {
        this.#issued += count;
        this.#lastError = undefined;
      },
      (error: unknown) => {
        if (!isIdError(error)) return;
        this.#lastError = { code: error.code, message: error.message, at: new Date() };
      },
    );
    return call;
  }
}
