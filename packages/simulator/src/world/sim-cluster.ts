import { Random } from '../random.js';
import { ClusterBus } from '../redis/cluster-bus.js';
import type { ClusterMember } from '../redis/cluster-member.js';
import { keyOf, slotOf } from '../redis/keyspace.js';
import type { Dump, RedisNode } from '../redis/redis-node.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { BasePlan } from './base-plan.js';
import type { ClusterPlan } from './cluster-plan.js';

/** How long after the last fault an operator closes slots that a move left open, and then again: in ms. */
const FIX_MS = 2_500;

/** The Redis Cluster of a run, and what its operators do with it. */
export class SimCluster {
  readonly bus: ClusterBus;
  /** The last dump of each server. */
  readonly dumps = new Map<RedisNode, Dump>();
  /** Slots that are being moved. */
  readonly moving = new Set<number>();
  /** Processes that are cut off from most of the Cluster, on the side of the members that are cut off. */
  readonly cutOff = new Set<Owner>();
  readonly #plan: ClusterPlan;
  /** The slots of the sequences. */
  readonly #slots: readonly number[];
  readonly #scheduler: Scheduler;
  readonly #random: Random;

  constructor(
    { seed }: BasePlan,
    cluster: ClusterPlan,
    sequences: readonly string[],
    scheduler: Scheduler,
    nodes: readonly RedisNode[],
  ) {
    this.#plan = cluster;
    this.#scheduler = scheduler;
    this.#random = new Random(seed, 'cluster world');
    const { masters, nodeTimeoutMs } = cluster;
    this.#slots = [...new Set(sequences.map((name) => slotOf(keyOf(name))))];
    this.bus = new ClusterBus({
      scheduler,
      random: new Random(seed, 'cluster bus'),
      nodeTimeoutMs,
      delayMs: cluster.gossipMs,
      nodes,
      masters,
      slots: this.#slots,
    });
  }

  get members(): readonly ClusterMember[] {
    return this.bus.members;
  }

  /** The running masters. */
  get masters(): ClusterMember[] {
    return this.members.filter(({ master, node }) => master === undefined && node.alive);
  }

  /**
   * The owner of the slot: of the members that claim it, the one with the latest epoch; a running one if
   * possible.
   */
  ownerOf(slot: number): ClusterMember {
    const claims = this.members.filter(
      (member) => member.master === undefined && member.owners.get(slot) === member,
    );
    const running = claims.filter(({ node }) => node.alive);
    const [best] = (running.length > 0 ? running : claims).sort((a, b) => b.myEpoch - a.myEpoch);
    // If two moves crossed, each may believe that the other serves the slot.
    return best ?? this.masters[0] ?? (this.members[0] as ClusterMember);
  }

  ownerOfSequence(name: string): ClusterMember {
    return this.ownerOf(slotOf(keyOf(name)));
  }

  replicaOf(master: ClusterMember): ClusterMember | undefined {
    return this.members.find((member) => member.master === master && member.node.alive);
  }

  /** Whether all running members know the same owners, which an operator waits for between two changes. */
  get agreed(): boolean {
    const running = this.members.filter(({ node }) => node.alive);
    return [...(running[0]?.owners.keys() ?? [])].every((slot) => {
      const owner = this.ownerOf(slot);
      return running.every((member) => member.owners.get(slot) === owner);
    });
  }

  reaches(owner: Owner, member: ClusterMember): boolean {
    return this.cutOff.has(owner) === member.cutOff;
  }

  /**
   * Starts a new process at the member's address, with the data of the dump or empty. Its replicas copy its
   * data.
   */
  start(member: ClusterMember, dump?: Dump): void {
    if (member.node.alive) return;
    member.node.start(dump);
    member.started();
    const { master } = member;
    if (master !== undefined) member.replicate(master);
    for (const other of this.members)
      if (other.master === member && other.node.alive) other.replicate(member);
  }

  /** Lets a replica that lost its master or fell behind follow it again. */
  mend(replica: ClusterMember): void {
    const { master, node } = replica;
    if (master !== undefined && node.alive && !this.bus.apart(master, replica)) replica.replicate(master);
  }

  /** Moves all keys of a slot at once, as `MIGRATE` does. Returns whether it succeeded. */
  migrate(slot: number, from: ClusterMember, to: ClusterMember): boolean {
    if (!from.node.alive || !to.node.alive || this.bus.apart(from, to)) return false;
    for (const key of from.node.keyspace.keys()) {
      const value = from.node.keyspace.get(key);
      if (slotOf(key) !== slot || value === undefined) continue;
      to.node.restore(key, value);
      from.node.execute(['DEL', key], { local: true });
    }
    return true;
  }

  /**
   * Repairs the Cluster: starts servers, joins the parts, lets replicas follow, and later closes slots that
   * moves left open.
   */
  heal(): void {
    this.cutOff.clear();
    for (const member of this.members) if (member.cutOff) member.joinOthers();
    for (const member of this.members) this.start(member);
    const fix = () => {
      for (const member of this.members) this.start(member);
      for (const slot of this.members[0]?.owners.keys() ?? []) this.settle(slot);
      this.#shareReplicas();
      for (const member of this.members) this.mend(member);
    };
    // Twice: news that was under way may change once more who serves a slot.
    for (const ms of [FIX_MS, 2 * FIX_MS])
      this.#scheduler.schedule(this.#scheduler.now + ms, this.#scheduler.world, fix);
  }

  /**
   * Gives each master that serves a sequence a replica: from a master that has several, as Redis does after a
   * while, or, as an operator does, from one that serves no sequence, or that one itself.
   */
  #shareReplicas(): void {
    if (this.#plan.replicas === 0) return;
    const following = (master: ClusterMember) => this.members.filter((member) => member.master === master);
    const serves = (master: ClusterMember) => this.#slots.some((slot) => this.ownerOf(slot) === master);
    for (const master of this.masters.filter(serves)) {
      if (following(master).length > 0) continue;
      const rich = this.masters.find((other) => following(other).length > 1);
      const idle = this.masters.find((other) => !serves(other));
      const spare = (rich && following(rich)[0]) ?? (idle && (following(idle)[0] ?? idle));
      spare?.replicate(master);
    }
  }

  /**
   * Closes a slot that a move left open: it belongs to the node that has its keys, as with `redis-cli
   * --cluster fix`.
   */
  close(slot: number): void {
    const owner = this.ownerOf(slot);
    const holds = ({ node }: ClusterMember) => node.keyspace.keys().some((key) => slotOf(key) === slot);
    const importer = this.masters.find((member) => member.importing.has(slot) && holds(member));
    if (importer !== undefined && !holds(owner)) importer.setSlotNode(slot, importer);
    for (const member of this.members) {
      member.importing.delete(slot);
      member.migrating.delete(slot);
    }
  }

  /** Closes a slot and informs all nodes who serves it. */
  settle(slot: number): void {
    this.close(slot);
    const owner = this.ownerOf(slot);
    for (const member of this.members) member.owners.set(slot, owner);
  }

  /** Milliseconds between two steps of an operator. */
  stepMs(): number {
    return this.#random.magnitude(0.05, this.#plan.stepMs);
  }
}
