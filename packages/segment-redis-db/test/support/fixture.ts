import { MemorySegmentSource, type Segment, type SegmentSource } from '@ids/segment';
import { Redis, type RedisOptions } from 'ioredis';
import {
  createSegmentRedisDbGenerator,
  type RedisClient,
  type SegmentRedisDbOptions,
  type VoidReason,
} from '../../src/index.js';
import { type ConnectOptions, connectTo } from './connect-to.js';
import type { Connected } from './connected-client.js';
import { type Mutant, mutate } from './mutant.js';

type GeneratorOptions = Partial<Omit<SegmentRedisDbOptions, 'as'>> & {
  /** A fixed step, unless `minStep` and `maxStep` say otherwise; 1,000 by default. */
  readonly step?: number;
};

/**
 * Opens generators of one sequence for a test and closes everything after it. Segments come from memory:
 * these tests are about Redis. A mutant, when there is one, is applied to every client.
 */
export class Fixture {
  readonly source: SegmentSource;
  /** The hash in Redis. */
  readonly key: string;
  /** Why the state in Redis was found void, each time that a generator of this fixture did so. */
  readonly voids: VoidReason[] = [];
  /** Segments that were reserved and could not be installed. */
  readonly discarded: Segment[] = [];
  readonly keyPrefix: string;
  readonly #mutant: Mutant | undefined;
  readonly #closing: (() => unknown)[] = [];

  /** `keyPrefix` keeps tests apart that share a Redis. */
  constructor(keyPrefix: string, mutant?: Mutant, startAfter = 0) {
    this.keyPrefix = keyPrefix;
    this.#mutant = mutant;
    this.key = `${keyPrefix}{order}`;
    this.source = new MemorySegmentSource({ order: { startAfter } });
  }

  /** A plain client, for the test itself. */
  client(url: string, options: Omit<RedisOptions, 'replyMapping'> = {}): Redis {
    const client = new Redis(url, { maxRetriesPerRequest: 1, ...options });
    client.on('error', () => {
      // Faults are the point; whoever calls sees them as rejections.
    });
    this.#closing.push(() => client.disconnect());
    return client;
  }

  /** A client of the kind on which the test runs, for a generator. */
  connect(url: string, options?: ConnectOptions): Connected {
    const connected = connectTo(url, undefined, options);
    this.#closing.push(() => connected.disconnect());
    return connected;
  }

  #connect(url: string): RedisClient {
    const { client, redis } = this.connect(url);
    return this.#mutant === undefined ? client : mutate(redis, this.#mutant);
  }

  async generator(url: string, options: GeneratorOptions = {}) {
    const { source = this.source, step = 1_000, onEvent, ...rest } = options;
    const generator = await createSegmentRedisDbGenerator({
      name: 'order',
      redis: rest.redis ?? this.#connect(url),
      source,
      minStep: step,
      maxStep: step,
      keyPrefix: this.keyPrefix,
      onEvent: (event) => {
        if (event.type === 'void') this.voids.push(event.reason);
        if (event.type === 'discard') this.discarded.push(event.segment);
        onEvent?.(event);
      },
      ...rest,
    });
    this.#closing.push(() => generator.close());
    return generator;
  }

  /**
   * As `generator`, asked for `count` ids and closed again: a process that lives for one
   * batch and remembers nothing.
   */
  async take(url: string, count: number, options?: GeneratorOptions): Promise<number[]> {
    const generator = await this.generator(url, options);
    const ids = await generator.nextBatch(count);
    await generator.close();
    return ids;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closing.reverse()) await close();
  }
}

/** What a sequence must never do, as a sentence; undefined when it did not. */
export function fault(ids: readonly number[]): string | undefined {
  const sorted = [...ids].sort((a, b) => a - b);
  const repeated = sorted.find((id, index) => id === sorted[index - 1]);
  if (repeated !== undefined) return `id ${repeated} given twice`;
  const back = ids.findIndex((id, index) => index > 0 && id < (ids[index - 1] ?? 0));
  return back < 0 ? undefined : `id ${ids[back]} given after ${ids[back - 1]}`;
}
