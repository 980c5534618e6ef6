import type { RedisCluster, RedisClusterNode } from '@ids/local-services';
import { Redis } from 'ioredis';
import { Random } from '../../src/random.js';
import { ClusterBus } from '../../src/redis/cluster-bus.js';
import type { ClusterMember } from '../../src/redis/cluster-member.js';
import { RedisError, toClient } from '../../src/redis/commands.js';
import { slotOf } from '../../src/redis/keyspace.js';
import { RedisNode } from '../../src/redis/redis-node.js';
import { Scheduler } from '../../src/time/scheduler.js';

const MASTERS = 3;
/** What is compared of `CLUSTER INFO`. */
const FIELDS = /^cluster_(state|slots_(assigned|ok|pfail|fail)|known_nodes|size|current_epoch|my_epoch):/;
/** Virtual milliseconds after which all simulated nodes have heard of each other. */
const SETTLED_MS = 5_000;

/**
 * The same changes and questions for a real Cluster and a simulated one. Nodes are
 * named by their place in it.
 */
export class BothClusters {
  readonly #real: RedisCluster;
  readonly #clients: readonly Redis[];
  readonly #scheduler = new Scheduler();
  readonly #bus: ClusterBus;
  readonly #key: string;
  readonly #slot: number;

  /** The slot of `key` must be the first master's. */
  constructor(real: RedisCluster, key: string) {
    this.#real = real;
    this.#key = key;
    this.#slot = slotOf(key);
    this.#clients = real.nodes.map(({ url }) => new Redis(url));
    const scheduler = this.#scheduler;
    const random = new Random(1);
    this.#bus = new ClusterBus({
      scheduler,
      random,
      nodeTimeoutMs: 2_000,
      delayMs: 1,
      masters: MASTERS,
      slots: [this.#slot],
      nodes: real.nodes.map((_, i) => new RedisNode({ name: `node ${i}`, scheduler, random, cpuTickUs: 1 })),
    });
  }

  get slot(): number {
    return this.#slot;
  }

  /** What the node answers: an error with its text, in which nodes have names instead of addresses. */
  async ask(
    node: number,
    args: readonly string[],
    { asking = false } = {},
  ): Promise<{ readonly real: unknown; readonly simulated: unknown }> {
    const [name = '', ...rest] = args;
    const client = this.#clientOf(node);
    if (asking) await client.asking();
    const real = await client.call(name, ...rest).catch((error: Error) => this.#named(error.message));
    const reply = this.#member(node).node.execute(args, { asking });
    return { real, simulated: reply instanceof RedisError ? this.#named(reply.message) : toClient(reply) };
  }

  /** `CLUSTER INFO` of a node, asked in a script, and what `INFO` says of Clusters. */
  async info(
    node: number,
  ): Promise<{ readonly real: readonly string[]; readonly simulated: readonly string[] }> {
    const script = "return redis.call('CLUSTER', 'INFO') .. redis.call('INFO', 'cluster')";
    const lines = (text: unknown) =>
      String(text)
        .split('\r\n')
        .filter((line) => FIELDS.test(line) || line.startsWith('cluster_enabled'));
    await this.#scheduler.run(this.#scheduler.now + SETTLED_MS);
    return {
      real: lines(await this.#clientOf(node).eval(script, 0)),
      simulated: lines(this.#member(node).node.execute(['EVAL', script, '0'])),
    };
  }

  async openSlot(from: number, to: number): Promise<void> {
    await this.#clientOf(to).cluster('SETSLOT', this.#slot, 'IMPORTING', this.#nodeOf(from).id);
    await this.#clientOf(from).cluster('SETSLOT', this.#slot, 'MIGRATING', this.#nodeOf(to).id);
    this.#member(to).importing.set(this.#slot, this.#member(from));
    this.#member(from).migrating.set(this.#slot, this.#member(to));
  }

  async migrate(from: number, to: number): Promise<void> {
    const { host, port } = this.#nodeOf(to);
    await this.#clientOf(from).call('MIGRATE', host, port, '', 0, 5_000, 'KEYS', this.#key);
    const [source, target] = [this.#member(from).node, this.#member(to).node];
    const value = source.keyspace.get(this.#key);
    if (value !== undefined) target.restore(this.#key, value);
    source.execute(['DEL', this.#key], { local: true });
  }

  /** Tells `node` that the slot is `owner`'s. */
  async setNode(node: number, owner: number): Promise<void> {
    await this.#clientOf(node).cluster('SETSLOT', this.#slot, 'NODE', this.#nodeOf(owner).id);
    this.#member(node).setSlotNode(this.#slot, this.#member(owner));
  }

  async takeOver(replica: number): Promise<void> {
    await this.#real.failover(this.#nodeOf(replica), 'TAKEOVER');
    this.#member(replica).takeOver();
    await this.#scheduler.run(this.#scheduler.now + SETTLED_MS);
  }

  close(): void {
    for (const client of this.#clients) client.disconnect();
  }

  #member(node: number): ClusterMember {
    return this.#bus.members[node] as ClusterMember;
  }

  #nodeOf(node: number): RedisClusterNode {
    return this.#real.nodes[node] as RedisClusterNode;
  }

  #clientOf(node: number): Redis {
    return this.#clients[node] as Redis;
  }

  /** A script's error ends in its hash and line, which are not simulated. */
  #named(message: string): string {
    let text = message.replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.$/, '');
    for (const [i, { host, port }] of this.#real.nodes.entries()) {
      text = text.replace(`${host}:${port}`, `node ${i}`).replace(this.#member(i).address, `node ${i}`);
    }
    return text;
  }
}
