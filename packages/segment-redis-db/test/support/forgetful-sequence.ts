import type { RedisServer } from '@ids/local-services';
import { MemorySegmentSource } from '@ids/segment';
import { Redis } from 'ioredis';
import { createSegmentRedisDbGenerator, inspectSequence } from '../../src/index.js';
import type { Connected } from './connected-client.js';
import { type Mutant, mutate } from './mutant.js';

/**
 * A sequence of which each batch is asked for by a process of its own, in effect: with a new client, and with
 * no memory of earlier ids. Its segments come from memory.
 */
export class ForgetfulSequence {
  /** The hash in Redis. */
  readonly key: string;
  readonly #connect: () => Promise<Connected>;
  readonly #keyPrefix: string;
  readonly #mutant: Mutant | undefined;
  readonly #source = new MemorySegmentSource({ order: { startAfter: 0 } });

  constructor(connect: () => Promise<Connected>, keyPrefix: string, mutant?: Mutant) {
    this.#connect = connect;
    this.#keyPrefix = keyPrefix;
    this.#mutant = mutant;
    this.key = `${keyPrefix}{order}`;
  }

  take(count: number): Promise<number[]> {
    return this.#withClient(async (connected) => {
      const redis = this.#mutant === undefined ? connected.client : mutate(connected.redis, this.#mutant);
      const options = { name: 'order', redis, source: this.#source, keyPrefix: this.#keyPrefix };
      const generator = await createSegmentRedisDbGenerator({ ...options, minStep: 100, maxStep: 100 });
      const ids = await generator.nextBatch(count);
      await generator.close();
      return ids;
    });
  }

  /** As `inspectSequence` has it. */
  async state(): Promise<string> {
    const options = { name: 'order', keyPrefix: this.#keyPrefix };
    return (await this.#withClient(({ client: redis }) => inspectSequence({ redis, ...options }))).state;
  }

  /** Waits until a replica of `primary` has heard of all ids given so far. */
  async replicated(primary: RedisServer): Promise<void> {
    const client = new Redis(primary.url);
    // WAIT heeds what its own connection wrote: a field that the protocol does not know.
    await client.hset(this.key, 'replicated', 1);
    const acknowledged = await client.wait(1, 5_000);
    client.disconnect();
    if (acknowledged < 1) throw new Error(`no replica of ${primary.url} had it all within 5 s`);
  }

  async #withClient<T>(use: (connected: Connected) => Promise<T>): Promise<T> {
    const connected = await this.#connect();
    try {
      return await use(connected);
    } finally {
      connected.disconnect();
    }
  }
}
