import type { RedisCluster, RedisClusterNode } from '@ids/local-services';
import { MemorySegmentSource } from '@ids/segment';
import { Redis } from 'ioredis';
import { createRedisSegmentGenerator, inspectSequence, type RedisLike } from '../../src/index.js';
import { clusterClient } from './cluster-subject.js';
import { type Mutant, mutate } from './mutant.js';

/** One sequence on a cluster, its segments from memory, for tests that play one call after the other. */
export class ClusterSequence {
  readonly cluster: RedisCluster;
  readonly #mutant: Mutant | undefined;
  readonly #keyPrefix: string;
  readonly #source = new MemorySegmentSource({ order: { startAfter: 0 } });

  constructor(cluster: RedisCluster, keyPrefix: string, mutant?: Mutant) {
    this.cluster = cluster;
    this.#keyPrefix = keyPrefix;
    this.#mutant = mutant;
  }

  get slot(): Promise<number> {
    return this.cluster.slotOfKey(`${this.#keyPrefix}{order}`);
  }

  /** The node that serves the sequence now. */
  async owner(): Promise<RedisClusterNode> {
    return this.cluster.ownerOfSlot(await this.slot);
  }

  /** Ids for a process that lives for one batch and remembers nothing. */
  async take(count: number): Promise<number[]> {
    return this.#withClient(async (client) => {
      const redis = this.#mutant === undefined ? client : mutate(client, this.#mutant);
      const options = { name: 'order', redis, source: this.#source, keyPrefix: this.#keyPrefix };
      const generator = await createRedisSegmentGenerator({ ...options, minStep: 100, maxStep: 100 });
      const ids = await generator.nextBatch(count);
      await generator.close();
      return ids;
    });
  }

  async state(): Promise<string> {
    const inspection = await this.#withClient((redis) =>
      inspectSequence({ redis, name: 'order', keyPrefix: this.#keyPrefix }),
    );
    return inspection.state;
  }

  /** Waits until the replica of the owner has all that was written. */
  async replicated(): Promise<RedisClusterNode> {
    const owner = await this.owner();
    const replica = await this.cluster.replicaOf(owner);
    const client = new Redis(owner.url);
    // WAIT heeds only what its own connection wrote.
    await client.call(
      'EVAL',
      "return redis.call('HSET', KEYS[1], 'test', 1)",
      1,
      `${this.#keyPrefix}{order}`,
    );
    const acknowledged = await client.wait(1, 5_000);
    client.disconnect();
    if (acknowledged !== 1) throw new Error('the replica did not follow within 5 s');
    return replica;
  }

  async #withClient<T>(use: (client: RedisLike) => Promise<T>): Promise<T> {
    const client = clusterClient(this.cluster.nodes);
    try {
      return await use(client);
    } finally {
      client.disconnect();
    }
  }
}
