import type {
  Counters,
  Guarantees,
  Health,
  Id,
  IdGenerator,
  KeyedIdGenerator,
  KeyedRequestOptions,
  RequestOptions,
} from '@ids/core';
import { checkedCodec } from './codec.js';
import { type Encoded, encodeIds, type Transcoder } from './encode-ids.js';
import type { EncodeOptions } from './options.js';

/** The result of `encodeKeyed`. */
export type EncodedKeyed<T extends Id = Id> = KeyedIdGenerator<string> & Transcoder<T>;

/**
 * Wraps a keyed generator like `encodeIds`: what it resolves with is encoded, also what `highest` and the
 * generators of `of` do. Keys and `startAfter` stay as they are. Owns `generator`: closing one closes the
 * other. Throws `ERR_IDS_CONFIG` like `createCodec`.
 */
export function encodeKeyed<T extends Id>(
  generator: KeyedIdGenerator<T>,
  options: EncodeOptions,
): EncodedKeyed<T> {
  return new EncodedKeyedGenerator(generator, options);
}

class EncodedKeyedGenerator<T extends Id> implements KeyedIdGenerator<string>, Transcoder<T> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly encode: (id: T) => string;
  readonly decode: (text: string) => T;
  readonly counters?: () => Counters;
  readonly #inner: KeyedIdGenerator<T>;
  readonly #options: EncodeOptions;
  readonly #write: (id: T) => string;

  constructor(inner: KeyedIdGenerator<T>, options: EncodeOptions) {
    const { codec, write } = checkedCodec<T>(inner.guarantees, options);
    this.#inner = inner;
    this.#options = options;
    this.#write = write;
    this.strategy = inner.strategy;
    this.guarantees = codec.guarantees;
    this.encode = codec.encode;
    this.decode = codec.decode;
    if (inner.counters !== undefined) this.counters = inner.counters.bind(inner);
  }

  async next(key: string, options?: KeyedRequestOptions): Promise<string> {
    return this.#write(await this.#inner.next(key, options));
  }

  async nextBatch(key: string, count: number, options?: KeyedRequestOptions): Promise<string[]> {
    return (await this.#inner.nextBatch(key, count, options)).map(this.#write);
  }

  of(key: string): Encoded<IdGenerator<T>> {
    return encodeIds(this.#inner.of(key), this.#options);
  }

  async highest(key: string, options?: RequestOptions): Promise<string | undefined> {
    const highest = await this.#inner.highest(key, options);
    return highest === undefined ? undefined : this.#write(highest);
  }

  ready(options?: RequestOptions): Promise<void> {
    return this.#inner.ready(options);
  }

  health(): Health {
    return this.#inner.health();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
