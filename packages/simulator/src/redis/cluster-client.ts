import type { Random } from '../random.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import type { ClusterMember } from './cluster-member.js';
import { keysOf, slotOf } from './keyspace.js';
import { CONNECTION_CLOSED, type Outcome, type ProcessClient, SendingClient } from './process-client.js';
import { RedisClient } from './redis-client.js';
import type { RedisNode } from './redis-node.js';

export interface ClusterClientOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly trace: Trace;
  /** The process that uses the client. */
  readonly owner: Owner;
  readonly members: readonly ClusterMember[];
  /** Whether the process currently reaches this member. */
  readonly reaches: (member: ClusterMember) => boolean;
  /** How often to fetch the slots again, in milliseconds: `slotsRefreshInterval`, which is off by default. */
  readonly refreshMs: number | undefined;
}

/** `maxRedirections` of ioredis, and the delay before a command is sent to another node. */
const MAX_REDIRECTIONS = 16;
const RETRY_MS = 100;
const RECONNECT_MS = 20;

/**
 * The `Cluster` of ioredis: a connection to each node, and a table of slots that it corrects from replies. A
 * pipeline is sent again only as a whole, and only if all commands failed with the same error: if its `WAIT`
 * was answered, it keeps its `MOVED`.
 */
export class ClusterClient extends SendingClient implements ProcessClient {
  readonly #options: ClusterClientOptions;
  readonly #connections: ReadonlyMap<ClusterMember, RedisClient>;
  #owners = new Map<number, ClusterMember>();

  constructor(options: ClusterClientOptions) {
    super();
    this.#options = options;
    const { members, reaches, scheduler, random, trace, owner, refreshMs } = options;
    const connectionTo = (member: ClusterMember) =>
      new RedisClient({
        scheduler,
        random,
        trace,
        owner,
        resolve: () => (reaches(member) ? member.node : undefined),
        resends: false,
        maxResends: 0,
        reconnectsOnReadonly: false,
        givesUpUnconnected: true,
      });
    this.#connections = new Map(members.map((member) => [member, connectionTo(member)]));
    this.#refresh();
    if (refreshMs !== undefined) this.#refreshEvery(refreshMs);
  }

  get latency(): readonly [number, number] {
    return this.#any.latency;
  }

  set latency(range: readonly [number, number]) {
    for (const connection of this.#connections.values()) connection.latency = range;
  }

  get stalledUntil(): number {
    return this.#any.stalledUntil;
  }

  set stalledUntil(time: number) {
    for (const connection of this.#connections.values()) connection.stalledUntil = time;
  }

  get inTransit(): readonly (readonly string[])[] {
    return [...this.#connections.values()].flatMap((connection) => connection.inTransit);
  }

  isConnectedTo(node: RedisNode): boolean {
    return [...this.#connections.values()].some((connection) => connection.isConnectedTo(node));
  }

  loses(share: number, until: number): void {
    for (const connection of this.#connections.values()) connection.loses(share, until);
  }

  reset(_pauseMs: number, node?: RedisNode): void {
    for (const connection of this.#connections.values()) {
      if (node === undefined || connection.isConnectedTo(node)) connection.reset(RECONNECT_MS);
    }
  }

  override async send(commands: readonly (readonly string[])[]): Promise<Outcome[]> {
    const slot = slotOf(keysOf(commands[0] ?? []).at(0) ?? '');
    let to = this.#ownerOf(slot);
    let asking = false;
    for (let left = MAX_REDIRECTIONS; ; left--) {
      const sent = asking ? commands.flatMap((command) => [['asking'], command]) : commands;
      const all = (await this.#connections.get(to)?.send(sent)) ?? [];
      const outcomes = asking ? all.filter((_, i) => i % 2 === 1) : all;
      const error = commonError(outcomes);
      if (error === undefined) return outcomes;
      const [code, , address] = error.message.split(' ');
      asking = false;
      if (
        code !== 'MOVED' &&
        code !== 'ASK' &&
        code !== 'CLUSTERDOWN' &&
        error.message !== CONNECTION_CLOSED
      ) {
        return outcomes;
      }
      if (left === 0) {
        const tooMany = new Error(`Too many Cluster redirections. Last error: ${error}`);
        return outcomes.map(() => [tooMany, undefined]);
      }
      if (code === 'MOVED' || code === 'ASK') {
        to = this.#options.members.find((member) => member.address === address) ?? to;
        if (code === 'MOVED') this.#owners.set(slot, to);
        else asking = true;
        if (code === 'MOVED') this.#refresh();
      } else {
        await this.#pause(RETRY_MS);
        this.#refresh();
        to = this.#options.random.pick(this.#options.members);
      }
    }
  }

  get #any(): RedisClient {
    return [...this.#connections.values()][0] as RedisClient;
  }

  #ownerOf(slot: number): ClusterMember {
    return this.#owners.get(slot) ?? this.#options.random.pick(this.#options.members);
  }

  /** Adopts the slots that a node knows when it answers, if the node is reachable. */
  #refresh(): void {
    const { random, members, reaches, scheduler, owner } = this.#options;
    const from = random.pick(members);
    scheduler.schedule(scheduler.now + random.magnitude(0.2, 10), owner, () => {
      if (from.node.alive && reaches(from)) this.#owners = new Map(from.owners);
    });
  }

  #refreshEvery(ms: number): void {
    const { scheduler, owner } = this.#options;
    scheduler.schedule(scheduler.now + ms, owner, () => {
      this.#refresh();
      this.#refreshEvery(ms);
    });
  }

  #pause(ms: number): Promise<void> {
    const { scheduler, owner } = this.#options;
    return new Promise((resolve) => scheduler.schedule(scheduler.now + ms, owner, resolve));
  }
}

/** The error that all commands failed with; undefined if one succeeded or failed with another error. */
function commonError(outcomes: readonly Outcome[]): Error | undefined {
  const [[first = null] = []] = outcomes;
  return outcomes.every(([error]) => error?.message === first?.message) ? (first ?? undefined) : undefined;
}
