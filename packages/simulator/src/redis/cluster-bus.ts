import type { Random } from '../random.js';
import type { Scheduler } from '../time/scheduler.js';
import { ClusterMember, type ClusterMessage } from './cluster-member.js';
import type { RedisNode } from './redis-node.js';

export interface ClusterBusOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly nodeTimeoutMs: number;
  /** The maximum time in transit of a message, in milliseconds. */
  readonly delayMs: number;
  /** Masters first; the others are their replicas, in turn. */
  readonly nodes: readonly RedisNode[];
  readonly masters: number;
  /** The slots in use; each master has one more, so that none is ever without slots. */
  readonly slots: readonly number[];
}

/** The lag of a new replica in milliseconds: from, to. */
const LAG_MS = [0.2, 50] as const;
/** How often a member announces its state, in milliseconds. */
const PING_MS = 250;
/** The search for slots that belong to no sequence starts here. */
const OTHER_SLOT = 100;

/** The nodes of a Cluster and the messages between them. */
export class ClusterBus {
  readonly members: readonly ClusterMember[];
  readonly #options: ClusterBusOptions;

  constructor(options: ClusterBusOptions) {
    this.#options = options;
    const { scheduler, random, nodeTimeoutMs, nodes, masters } = options;
    const settings = {
      now: () => scheduler.now,
      nodeTimeoutMs,
      lagMs: () => random.magnitude(...LAG_MS),
      announce: (member: ClusterMember) => this.#announce(member),
    };
    this.members = nodes.map(
      (node, i) => new ClusterMember(random.hex(40), `10.0.0.${i + 1}:6379`, node, i + 1, settings),
    );
    for (const member of this.members) {
      // They know each other before the run begins.
      for (const other of this.members) member.epochs.set(other, other.currentEpoch);
      for (const [i, slot] of this.#allSlots().entries()) {
        member.owners.set(slot, this.members[i % masters] as ClusterMember);
      }
    }
    for (const member of this.members) member.currentEpoch = nodes.length;
    for (const [i, member] of this.members.entries()) {
      if (i >= masters) member.replicate(this.members[i % masters] as ClusterMember);
    }
    for (const member of this.members) {
      for (const other of this.members) if (other !== member) this.tellAtOnce(other, member);
    }
    this.#ping();
  }

  /** Whether the two are cut off from each other. */
  apart(one: ClusterMember, other: ClusterMember): boolean {
    return one.cutOff !== other.cutOff;
  }

  /** Informs a member about another without delay. */
  tellAtOnce(teller: ClusterMember, to: ClusterMember): void {
    to.hear(messageOf(teller, teller));
  }

  #allSlots(): number[] {
    const { slots, masters } = this.#options;
    const others: number[] = [];
    for (let slot = OTHER_SLOT; others.length < masters; slot++) if (!slots.includes(slot)) others.push(slot);
    return [...others, ...slots];
  }

  #ping(): void {
    const { scheduler, random } = this.#options;
    scheduler.schedule(
      scheduler.now + PING_MS * (0.5 + random.next()),
      scheduler.world,
      () => {
        for (const member of this.members) if (member.node.alive) this.#announce(member);
        this.#ping();
      },
      true,
    );
  }

  #announce(member: ClusterMember): void {
    for (const other of this.members) if (other !== member) this.#tell(member, other, member);
  }

  #tell(teller: ClusterMember, to: ClusterMember, subject: ClusterMember): void {
    const { scheduler, random, delayMs } = this.#options;
    const message = messageOf(teller, subject);
    const { incarnation } = teller.node;
    scheduler.schedule(
      scheduler.now + random.magnitude(0.2, delayMs),
      scheduler.world,
      () => {
        if (!teller.node.alive || teller.node.incarnation !== incarnation) return;
        if (!to.node.alive || this.apart(teller, to)) return;
        const later = to.hear(message);
        if (later !== undefined && later !== teller) this.#tell(to, teller, later);
      },
      true,
    );
  }
}

function messageOf(teller: ClusterMember, subject: ClusterMember): ClusterMessage {
  return {
    subject,
    master: subject === teller ? subject.master : undefined,
    configEpoch: teller.epochs.get(subject) ?? 0,
    currentEpoch: teller.currentEpoch,
    slots: teller.slotsOf(subject),
  };
}
