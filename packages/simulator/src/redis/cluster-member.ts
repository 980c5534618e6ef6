import { type Membership, RedisError } from './commands.js';
import { keysOf, SLOTS, slotOf } from './keyspace.js';
import type { RedisNode } from './redis-node.js';

/** How long a master refuses commands after its start: time to learn that another has taken its place. */
const WRITABLE_DELAY_MS = 2_000;
/** How long a master refuses commands after it rejoins the others: the node timeout, within these bounds. */
const REJOIN_MS = { least: 500, most: 5_000 };

/** A message between members: about the sender, or about an owner of slots that the receiver has missed. */
export interface ClusterMessage {
  readonly subject: ClusterMember;
  /** The master that the subject follows; undefined for a master. */
  readonly master: ClusterMember | undefined;
  readonly configEpoch: number;
  readonly currentEpoch: number;
  readonly slots: readonly number[];
}

/** The settings that the members of a Cluster share. */
export interface ClusterSettings {
  readonly now: () => number;
  /** After this many milliseconds alone, a master refuses commands. */
  readonly nodeTimeoutMs: number;
  /** The lag of a new replica in milliseconds. */
  readonly lagMs: () => number;
  /** Announces the state of this member to all others. */
  readonly announce: (member: ClusterMember) => void;
}

/**
 * A node of a Cluster, with what it knows about the others: who serves which slot, and in which configuration
 * epoch. Members disagree until they have heard from each other. The rules are those of cluster.c in Redis
 * 7.0.
 */
export class ClusterMember implements Membership {
  readonly id: string;
  /** The address in redirections. */
  readonly address: string;
  readonly node: RedisNode;
  /** The member that it follows; undefined for a master. */
  master: ClusterMember | undefined;
  /** The owner of each slot, as far as this member knows. */
  readonly owners = new Map<number, ClusterMember>();
  /** The configuration epochs that it has heard of, including its own. */
  readonly epochs = new Map<ClusterMember, number>();
  /** The members that it knows to be replicas. */
  readonly #replicas = new Set<ClusterMember>();
  readonly migrating = new Map<number, ClusterMember>();
  readonly importing = new Map<number, ClusterMember>();
  /** The greatest epoch that it has heard of. */
  currentEpoch: number;
  readonly #settings: ClusterSettings;
  /** Since when it has heard nothing from the others. */
  #cutOffSince: number | undefined;
  #refusesUntil = 0;

  constructor(id: string, address: string, node: RedisNode, epoch: number, settings: ClusterSettings) {
    this.id = id;
    this.address = address;
    this.node = node;
    this.currentEpoch = epoch;
    this.epochs.set(this, epoch);
    this.#settings = settings;
    node.cluster = this;
  }

  /** What scripts read as `cluster_my_epoch`: a replica shows that of its master. */
  get myEpoch(): number {
    return this.#epochOf(this.master ?? this);
  }

  get cutOff(): boolean {
    return this.#cutOffSince !== undefined;
  }

  /** The slots that it serves, as far as it knows. */
  get slots(): number[] {
    return this.slotsOf(this);
  }

  slotsOf(owner: ClusterMember): number[] {
    return [...this.owners].filter(([, other]) => other === owner).map(([slot]) => slot);
  }

  /** The reply of `CLUSTER INFO`. */
  info(): string {
    const masters = new Set(this.owners.values()).size;
    return `${[
      `cluster_state:${this.#down() ? 'fail' : 'ok'}`,
      `cluster_slots_assigned:${SLOTS}`,
      `cluster_slots_ok:${SLOTS}`,
      'cluster_slots_pfail:0',
      'cluster_slots_fail:0',
      `cluster_known_nodes:${this.epochs.size}`,
      `cluster_size:${masters}`,
      `cluster_current_epoch:${this.currentEpoch}`,
      `cluster_my_epoch:${this.myEpoch}`,
    ].join('\r\n')}\r\n`;
  }

  /**
   * Why this member refuses a command of a client; undefined if it runs it. Commands have at most one key
   * here.
   */
  refusal(args: readonly string[], asking: boolean): RedisError | undefined {
    const [key] = keysOf(args);
    if (key === undefined) return undefined;
    const slot = slotOf(key);
    const owner = this.owners.get(slot);
    if (owner === undefined) return new RedisError('CLUSTERDOWN Hash slot not served');
    if (this.#down()) return new RedisError('CLUSTERDOWN The cluster is down');
    const target = owner === this ? this.migrating.get(slot) : undefined;
    if (target !== undefined && this.node.keyspace.get(key) === undefined) {
      return new RedisError(`ASK ${slot} ${target.address}`);
    }
    if (owner === this || (asking && this.importing.has(slot))) return undefined;
    return new RedisError(`MOVED ${slot} ${owner.address}`);
  }

  /** The same for a command of a script. */
  refusalInScript(args: readonly string[], asking: boolean): RedisError | undefined {
    const refusal = this.refusal(args, asking);
    if (refusal === undefined) return undefined;
    return new RedisError(
      refusal.message.startsWith('CLUSTERDOWN The')
        ? 'ERR Script attempted to execute a command while the cluster is down'
        : 'ERR Script attempted to access a non local key in a cluster node',
    );
  }

  /**
   * `CLUSTER SETSLOT <slot> NODE <owner>`. The importer that becomes the owner gets an epoch above all that
   * it knows.
   */
  setSlotNode(slot: number, owner: ClusterMember): void {
    if (owner !== this) this.migrating.delete(slot);
    else if (this.importing.delete(slot)) this.#raiseEpoch();
    this.owners.set(slot, owner);
    this.#settings.announce(this);
  }

  /** `CLUSTER FAILOVER TAKEOVER`: becomes the master of all slots of its master, with the data it has. */
  takeOver(): void {
    const { master } = this;
    if (master === undefined) return;
    const slots = this.slotsOf(master);
    this.master = undefined;
    this.#raiseEpoch();
    for (const slot of slots) this.owners.set(slot, this);
    this.node.promote();
    this.#settings.announce(this);
  }

  /** Whether it considers `other` a master: it imports slots from, and migrates them to, masters only. */
  knowsAsMaster(other: ClusterMember): boolean {
    return !this.#replicas.has(other);
  }

  /** Whether this member would vote for `replica`: not if it knows a later owner of one of its slots. */
  votesFor(replica: ClusterMember): boolean {
    const { master } = replica;
    if (master === undefined) return false;
    return replica
      .slotsOf(master)
      .every((slot) => this.#epochOf(this.owners.get(slot)) <= replica.#epochOf(master));
  }

  /**
   * Processes what another member says about itself or a third one. Returns a later owner of one of its
   * slots, if it knows one.
   */
  hear({ subject, master, configEpoch, currentEpoch, slots }: ClusterMessage): ClusterMember | undefined {
    this.currentEpoch = Math.max(this.currentEpoch, currentEpoch);
    if (master !== undefined) {
      this.#replicas.add(subject);
      return undefined;
    }
    this.#replicas.delete(subject);
    this.epochs.set(subject, Math.max(this.#epochOf(subject), configEpoch));
    if (this.master === undefined && configEpoch === this.#epochOf(this) && subject.id > this.id) {
      this.currentEpoch++;
      this.epochs.set(this, this.currentEpoch);
      this.#settings.announce(this);
    }
    const mine = this.master ?? this;
    const lost: number[] = [];
    let later: ClusterMember | undefined;
    for (const slot of slots) {
      const owner = this.owners.get(slot);
      if (owner === subject || this.importing.has(slot)) continue;
      if (this.#epochOf(owner) < configEpoch) {
        this.owners.set(slot, subject);
        if (owner === mine) lost.push(slot);
      } else if (this.#epochOf(owner) > configEpoch) later = owner;
    }
    if (lost.length > 0 && this.slotsOf(mine).length === 0) this.replicate(subject);
    else if (this.master === undefined) this.#dropKeysOf(lost);
    return later;
  }

  /** Becomes a replica of `master`. */
  replicate(master: ClusterMember): void {
    this.master = master;
    this.#replicas.delete(master);
    this.migrating.clear();
    this.importing.clear();
    if (master.node.alive && !master.cutOff) this.node.follow(master.node, this.#settings.lagMs());
  }

  /** Call it when its process has started: what nodes know about each other is on their disks. */
  started(): void {
    this.#refusesUntil = this.#settings.now() + WRITABLE_DELAY_MS;
    this.#settings.announce(this);
  }

  leaveOthers(): void {
    this.#cutOffSince = this.#settings.now();
  }

  joinOthers(): void {
    const { nodeTimeoutMs, now } = this.#settings;
    if (this.#down()) {
      const delay = Math.min(REJOIN_MS.most, Math.max(REJOIN_MS.least, nodeTimeoutMs));
      this.#refusesUntil = Math.max(this.#refusesUntil, now() + delay);
    }
    this.#cutOffSince = undefined;
    this.#settings.announce(this);
  }

  #down(): boolean {
    const now = this.#settings.now();
    if (this.#cutOffSince !== undefined && now > this.#cutOffSince + this.#settings.nodeTimeoutMs)
      return true;
    return this.master === undefined && now < this.#refusesUntil;
  }

  #epochOf(member: ClusterMember | undefined): number {
    return (member && this.epochs.get(member)) ?? 0;
  }

  /** Without consent of the others, and only if its epoch is not already the greatest. */
  #raiseEpoch(): void {
    const greatest = Math.max(this.currentEpoch, ...this.epochs.values());
    if (this.#epochOf(this) === greatest) return;
    this.currentEpoch++;
    this.epochs.set(this, this.currentEpoch);
  }

  #dropKeysOf(slots: readonly number[]): void {
    if (slots.length === 0) return;
    for (const key of this.node.keyspace.keys()) {
      if (slots.includes(slotOf(key))) this.node.execute(['DEL', key], { local: true });
    }
  }
}
