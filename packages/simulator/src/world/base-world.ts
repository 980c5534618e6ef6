import type { Health } from '@ids/core';
import type { RedisLike } from '@ids/segment-redis-db';
import type { ChangeAnswer, IdServers } from '../http/id-servers.js';
import { Random } from '../random.js';
import { ClusterClient } from '../redis/cluster-client.js';
import type { ClusterMember } from '../redis/cluster-member.js';
import type { Keyspace } from '../redis/keyspace.js';
import type { ProcessClient } from '../redis/process-client.js';
import { RedisClient } from '../redis/redis-client.js';
import { type Dump, type RanScript, RedisNode } from '../redis/redis-node.js';
import type { SegmentTable, WrapTable } from '../table/segment-table.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import type { BasePlan } from './base-plan.js';
import { SimCluster } from './sim-cluster.js';

/** Wraps the client of the generators, to switch a guard off. */
export type WrapRedis = (client: RedisLike) => RedisLike;

/** The options of generators that a guard may change. */
interface GeneratorOptions {
  readonly maxIdsLost?: number | undefined;
}

/** Wrappers between the processes and their backends. */
export interface Wraps {
  readonly wrap?: WrapRedis | undefined;
  readonly wrapTable?: WrapTable | undefined;
  /** Changes the options of the generators; they are judged by those of the plan. */
  readonly changeOptions?: (<Options extends GeneratorOptions>(options: Options) => Options) | undefined;
  /** Wraps the health of a generator; called once for each generator. */
  readonly wrapHealth?: ((ask: () => Health) => () => Health) | undefined;
  readonly changeAnswer?: ChangeAnswer | undefined;
}

export type AllWraps = { readonly [Each in keyof Wraps]-?: NonNullable<Wraps[Each]> };

export function allWraps(wraps: Wraps): AllWraps {
  return {
    wrap: wraps.wrap ?? ((client) => client),
    wrapTable: wraps.wrapTable ?? ((executor) => executor),
    changeOptions: wraps.changeOptions ?? ((options) => options),
    wrapHealth: wraps.wrapHealth ?? ((ask) => ask),
    changeAnswer: wraps.changeAnswer ?? ((answer) => answer),
  };
}

/** What a probe says of a process that gives no id: its end, by which a search can tolerate it. */
export const NO_ID = 'no id although nothing is wrong';

/** Reports a violation of a guarantee: its kind, and a sentence. */
export type Violated = (kind: string, problem: string) => void;

/** A process of the service, as faults and the end of a run see it. */
export interface WorldProcess {
  readonly number: number;
  readonly owner: Owner;
  readonly client: ProcessClient;
  /** Whether it was ever paused: then its times are not checked. */
  paused: boolean;
  readonly alive: boolean;
  /** How often `probe` calls `done`. */
  readonly probes: number;
  start(): void;
  /** Makes no new calls from now on. */
  stop(): void;
  /** Closes its generators, as an event of the process. */
  close(): void;
  /** Requests ids after all faults have ended; calls `done` with a problem, if any. */
  probe(done: (problem: string | undefined) => void): void;
}

/** How long, in milliseconds, connections work well before they become as slow and lossy as planned. */
const FAIR_MS = 30;

/** The processes, their servers, and who is connected to what. */
export abstract class BaseWorld<
  Plan extends BasePlan = BasePlan,
  Process extends WorldProcess = WorldProcess,
> {
  abstract readonly table: SegmentTable;
  /** Servers of ids; undefined if all processes reach their stores themselves. */
  abstract readonly servers: IdServers | undefined;
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  /** All processes, including those that have ended. */
  readonly processes: Process[] = [];
  readonly nodes: readonly RedisNode[];
  /** What Redis dispenses; never empty. */
  readonly dispensed: readonly string[];
  /** Undefined for a single server with its replicas. */
  readonly cluster: SimCluster | undefined;
  /** A substitute replica in split brain; never promoted. */
  readonly spare: RedisNode | undefined;
  dump: Dump | undefined;
  /** The number of server changes in progress: during one, no other begins. */
  changing = 0;
  /** Once true, processes make no new calls. */
  stopping = false;
  /** Processes that connect to another server than the primary. */
  readonly routes = new Map<WorldProcess, RedisNode>();
  protected readonly random: Random;
  #primary: RedisNode;
  #clock = 0;

  constructor(plan: Plan, scheduler: Scheduler, trace: Trace, dispensed: readonly string[]) {
    this.plan = plan;
    this.dispensed = dispensed;
    this.scheduler = scheduler;
    this.trace = trace;
    this.random = new Random(plan.seed, 'world');
    const random = new Random(plan.seed, 'servers');
    const { cpuTickUs, writableReplicas: writableReplica } = plan;
    const node = (letter: string): RedisNode => {
      const name = `redis ${letter}`;
      const ran = (keyspace: Keyspace, script: RanScript): void => this.scriptRan(name, keyspace, script);
      return new RedisNode({ name, scheduler, random, cpuTickUs, writableReplica, ran });
    };
    const servers = (plan.cluster?.masters ?? 1) * (plan.replicas + 1);
    this.nodes = [...'ABCDEF'].slice(0, servers).map(node);
    if (plan.spare) this.spare = node('S');
    this.#primary = this.nodes[0] as RedisNode;
    this.cluster = plan.cluster && new SimCluster(plan, plan.cluster, dispensed, scheduler, this.nodes);
  }

  /** The server that dispenses; in a Cluster, that of the first sequence. */
  get primary(): RedisNode {
    return this.cluster?.ownerOfSequence(this.dispensed[0] ?? '').node ?? this.#primary;
  }

  set primary(node: RedisNode) {
    this.#primary = node;
  }

  get alive(): Process[] {
    return this.processes.filter(({ alive }) => alive);
  }

  get replicas(): RedisNode[] {
    return this.nodes.filter((node) => node.alive && node.role === 'slave');
  }

  /** Whether the table lacks ids that were reserved, and nothing makes up for them. */
  abstract get behind(): boolean;

  abstract startProcess(): Process;

  /** What must hold whenever a script has run. */
  protected abstract scriptRan(node: string, keyspace: Keyspace, script: RanScript): void;

  /** Ends all faults, and makes no new calls. */
  heal(): void {
    const { scheduler, table } = this;
    this.stopping = true;
    this.cluster?.heal();
    this.servers?.heal();
    for (const process of this.processes) {
      process.stop();
      process.client.latency = [0.1, 1];
      process.client.loses(0, 0);
      process.client.stalledUntil = Math.min(process.client.stalledUntil, scheduler.now);
      process.owner.pausedUntil = Math.min(process.owner.pausedUntil, scheduler.now);
    }
    for (const node of this.nodes) node.stalledUntil = Math.min(node.stalledUntil, scheduler.now);
    table.latency = [0.2, 2];
    table.stalledUntil = Math.min(table.stalledUntil, scheduler.now);
    table.lockedUntil = Math.min(table.lockedUntil, scheduler.now);
    table.loseReplies = 0;
    table.downUntil = 0;
  }

  /** Makes all other running servers replicas of the primary. */
  followPrimary(): void {
    for (const node of this.nodes) {
      if (node !== this.primary && node.alive) node.follow(this.primary, this.random.magnitude(0.2, 50));
    }
  }

  /** Ends the connections to a server; each client notices at a different time. */
  resetAll(node: RedisNode): void {
    for (const { client } of this.processes) {
      if (!client.isConnectedTo(node)) continue;
      this.later(this.random.magnitude(0.1, 100), () => {
        if (client.isConnectedTo(node)) client.reset(this.random.magnitude(1, 200), node);
      });
    }
  }

  /** Runs `act` after `ms`. */
  later(ms: number, act: () => void): void {
    this.scheduler.schedule(this.scheduler.now + ms, this.scheduler.world, act);
  }

  /** Adds the process that `make` returns. Its connection soon becomes as slow and lossy as planned. */
  protected addProcess(
    make: (parts: {
      readonly number: number;
      readonly owner: Owner;
      readonly client: ProcessClient;
    }) => Process,
  ): Process {
    const { plan } = this;
    const number = this.processes.length + 1;
    const random = new Random(plan.seed, `network ${number}`);
    const owner: Owner = {
      name: `process ${number}`,
      dead: false,
      pausedUntil: 0,
      clockRate: 1 + (random.next() - 0.5) * plan.drift,
      wallOffset: 0,
      timerLag: plan.timerLag,
    };
    const client = this.#clientFor(owner, random, () => this.routes.get(process) ?? this.primary);
    const [slow, lossy] = [random.chance(plan.slowShare), random.chance(plan.lossyShare)];
    this.later(FAIR_MS, () => {
      if (this.stopping) return;
      if (slow) client.latency = [plan.slowMs / 20, plan.slowMs];
      if (lossy) client.loses(plan.loss, plan.runMs);
    });
    const process: Process = make({ number, owner, client });
    this.processes.push(process);
    if (this.stopping) process.stop();
    process.start();
    return process;
  }

  #clientFor(owner: Owner, random: Random, resolve: () => RedisNode): ProcessClient {
    const { scheduler, trace, cluster } = this;
    if (cluster !== undefined) {
      const reaches = (member: ClusterMember) => cluster.reaches(owner, member);
      const refreshMs = this.plan.cluster?.refreshMs;
      const options = { scheduler, random, trace, owner, refreshMs };
      return new ClusterClient({ ...options, members: cluster.members, reaches });
    }
    const { resends, maxResends, reconnectsOnReadonly } = this.plan;
    const options = { scheduler, random, trace, owner, resolve };
    return new RedisClient({ ...options, resends, maxResends, reconnectsOnReadonly });
  }

  /** Replicas follow. Soon, the table becomes as slow as planned. */
  protected begin(): void {
    const { tableMs } = this.plan;
    this.later(FAIR_MS, () => {
      this.table.latency = [tableMs / 10, tableMs];
    });
    if (this.cluster === undefined) this.followPrimary();
  }

  /**
   * Nanoseconds of the run, increased by one if two readings would be equal, so that the history has one
   * order.
   */
  protected tick(): number {
    this.#clock = Math.max(this.#clock + 1, Math.floor(this.scheduler.now * 1e6));
    return this.#clock;
  }
}
