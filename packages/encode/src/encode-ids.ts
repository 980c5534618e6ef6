import {
  type Counters,
  type Guarantees,
  type Health,
  type Id,
  type IdGenerator,
  isSyncGenerator,
  type RequestOptions,
  type SyncIdGenerator,
} from '@ids/core';
import { type Codec, checkedCodec } from './codec.js';
import type { EncodeOptions } from './options.js';

/**
 * Encodes ids and decodes them again, for columns that store numbers behind an interface that shows strings.
 */
export type Transcoder<T extends Id> = Omit<Codec<T>, 'guarantees'>;

type IdOf<G> = G extends IdGenerator<infer T> ? T : never;

/** The result of `encodeIds`: synchronous if the generator is. */
export type Encoded<G extends IdGenerator> = G extends SyncIdGenerator
  ? SyncIdGenerator<string> & Transcoder<IdOf<G>>
  : IdGenerator<string> & Transcoder<IdOf<G>>;

/**
 * Wraps a generator so that it issues strings in the form described by `options`. Its `guarantees` show what
 * changes: for example, obfuscated ids have no order. Owns `generator`: closing one closes the other. Throws
 * `ERR_IDS_CONFIG` like `createCodec`.
 */
export function encodeIds<G extends IdGenerator>(generator: G, options: EncodeOptions): Encoded<G> {
  const codec = checkedCodec<Id>(generator.guarantees, options);
  const encoded = isSyncGenerator(generator)
    ? new EncodedSyncGenerator(generator, codec)
    : new EncodedGenerator(generator, codec);
  return encoded as unknown as Encoded<G>;
}

class EncodedGenerator<G extends IdGenerator> implements IdGenerator<string>, Transcoder<Id> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly encode: (id: Id) => string;
  readonly decode: (text: string) => Id;
  readonly counters?: () => Counters;
  protected readonly inner: G;
  protected readonly write: (id: Id) => string;

  constructor(inner: G, { codec: { guarantees, encode, decode }, write }: ReturnType<typeof checkedCodec>) {
    this.inner = inner;
    this.write = write;
    this.strategy = inner.strategy;
    this.guarantees = guarantees;
    this.encode = encode;
    this.decode = decode;
    if (inner.counters !== undefined) this.counters = inner.counters.bind(inner);
  }

  async next(options?: RequestOptions): Promise<string> {
    return this.write(await this.inner.next(options));
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<string[]> {
    return (await this.inner.nextBatch(count, options)).map(this.write);
  }

  ready(options?: RequestOptions): Promise<void> {
    return this.inner.ready(options);
  }

  health(): Health {
    return this.inner.health();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

class EncodedSyncGenerator extends EncodedGenerator<SyncIdGenerator> implements SyncIdGenerator<string> {
  nextSync(): string {
    return this.write(this.inner.nextSync());
  }

  nextBatchSync(count: number): string[] {
    return this.inner.nextBatchSync(count).map(this.write);
  }
}
