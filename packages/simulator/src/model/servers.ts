import { Random } from '../random.js';
import { type Dump, RedisNode } from '../redis/redis-node.js';
import { EPOCH_MS } from '../time/platform.js';
import { Scheduler } from '../time/scheduler.js';
import { type Line, numberOf } from './walk.js';

/** The key of the only sequence. */
export const KEY = 'ids:{walk}';

/** How long a lease lasts, in milliseconds. */
export const LOCK_MS = 1_000;

/**
 * The two Redis nodes and the snapshot of the model, and what its faults do to them. Time advances only when
 * a step moves it.
 */
export class Servers {
  readonly nodes: readonly [RedisNode, RedisNode];
  #snapshot: Dump | undefined;

  constructor(seed: number) {
    const scheduler = new Scheduler();
    const node = (name: string) =>
      new RedisNode({ name, scheduler, random: new Random(seed, name), cpuTickUs: 1 });
    this.nodes = [node('node 0'), node('node 1')];
    this.nodes[1].follow(this.nodes[0], Number.POSITIVE_INFINITY);
  }

  node(which: number): RedisNode {
    const node = this.nodes[which];
    if (node === undefined) throw new RangeError(`the model names node ${which}: 0 and 1 are there`);
    return node;
  }

  /** The fields of the hash: of the two nodes, or of the snapshot, number 2. Undefined if there is none. */
  fields(which: number): ReadonlyMap<string, string> | undefined {
    const value = (which === 2 ? this.#snapshot : this.nodes[which])?.keyspace.get(KEY);
    return value instanceof Map ? value : undefined;
  }

  /**
   * Sets the clock of a server so that the lease in its hash has, or has not, expired. `variety` chooses
   * between two cases of each: just granted or about to expire; just expired or written while the clock was
   * ahead.
   */
  setClock(which: number, lapsed: boolean, variety: number): void {
    const end = Number(this.fields(which)?.get('kx') ?? 0);
    if (end === 0) return;
    const [first, second] = lapsed ? [0, -LOCK_MS - 1] : [-LOCK_MS, -1];
    const node = this.node(which);
    node.clockOffset = end + (variety % 2 === 0 ? first : second) - EPOCH_MS;
  }

  /**
   * If `line` is a fault of the servers, applies it and returns the node that began a reign, if any;
   * otherwise undefined.
   */
  happens(line: Line): { readonly newReign: number | undefined } | undefined {
    const fault = this.#faults[line.kind];
    if (fault === undefined) return undefined;
    const which = numberOf(line, 'node');
    return { newReign: fault(this.node(which), this.node(1 - which)) ? which : undefined };
  }

  /** Each fault returns whether the node began a reign. */
  readonly #faults: Readonly<Record<string, (node: RedisNode, other: RedisNode) => boolean>> = {
    // Replication: a replica has what its master had at the last sync. Nothing arrives in between.
    sync: (node, other) => {
      node.follow(other, Number.POSITIVE_INFINITY);
      return false;
    },
    failover: (node, other) => {
      node.follow(other, Number.POSITIVE_INFINITY);
      node.promote();
      other.role = 'slave';
      return true;
    },
    promotion: (node, other) => {
      node.promote();
      // As if dead: it keeps its data, and serves nobody until it is promoted or follows.
      other.role = 'slave';
      return true;
    },
    splitBrain: (node) => {
      node.promote();
      return true;
    },
    rejoin: (node, other) => {
      node.follow(other, Number.POSITIVE_INFINITY);
      return false;
    },
    dump: (node) => {
      this.#snapshot = node.dump();
      return false;
    },
    restart: (node) => {
      node.kill();
      node.start(this.#snapshot);
      return true;
    },
    flush: (node) => {
      node.execute(['FLUSHALL']);
      return false;
    },
    // Redis does not do this: it is how the model shows the limit of the guarantee.
    rewind: (node) => {
      if (this.#snapshot === undefined) node.keyspace.clear();
      else node.keyspace = this.#snapshot.keyspace.copy();
      return false;
    },
  };
}
