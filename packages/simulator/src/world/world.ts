import type { Health } from '@ids/core';
import type { SqlExecutor } from '@ids/segment/sql';
import type { RedisLike } from '@ids/segment-redis-db';
import { Random } from '../random.js';
import { ClusterClient } from '../redis/cluster-client.js';
import type { ClusterMember } from '../redis/cluster-member.js';
import type { Reply } from '../redis/commands.js';
import { type Keyspace, keyOf } from '../redis/keyspace.js';
import type { ProcessClient } from '../redis/process-client.js';
import { RedisClient } from '../redis/redis-client.js';
import { type Dump, RedisNode } from '../redis/redis-node.js';
import { SegmentTable, type WrapTable } from '../table/segment-table.js';
import type { Commit } from '../table/simulated-executor.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { type Aside, IdsAside } from './ids-aside.js';
import type { Plan } from './plan.js';
import { SimCluster } from './sim-cluster.js';
import { SimProcess } from './sim-process.js';

/** Wraps the client of the generators, to switch a guard off. */
export type WrapRedis = (client: RedisLike) => RedisLike;

/** Wrappers between the processes and their backends. */
export interface Wraps {
  readonly wrap?: WrapRedis | undefined;
  readonly wrapTable?: WrapTable | undefined;
  /** Changes the options of the generators; they are judged by those of the plan. */
  readonly changeOptions?: ((options: Plan['options']) => Plan['options']) | undefined;
  /** Wraps the health of a generator; called once for each generator. */
  readonly wrapHealth?: ((ask: () => Health) => () => Health) | undefined;
}

/** How long, in milliseconds, connections work well before they become as slow and lossy as planned. */
const FAIR_MS = 30;

/** The processes, their backends, and who is connected to what. */
export class World {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly table: SegmentTable;
  /** All processes, including those that have ended. */
  readonly processes: SimProcess[] = [];
  readonly nodes: readonly RedisNode[];
  /** A substitute replica in split brain; never promoted. */
  readonly spare: RedisNode | undefined;
  /** Undefined for a single server with its replicas. */
  readonly cluster: SimCluster | undefined;
  dump: Dump | undefined;
  /** The number of server changes in progress: during one, no other begins. */
  changing = 0;
  /** Once true, processes make no new calls. */
  stopping = false;
  /** Processes that connect to another server than the primary. */
  readonly routes = new Map<SimProcess, RedisNode>();
  /** The operator's connection to the table, and how many floors are being set. */
  readonly operator: SqlExecutor;
  floorsUnderWay = 0;
  /** Checks that no more ids are set aside than allowed. */
  readonly aside: IdsAside;
  readonly #random: Random;
  readonly #wraps: { readonly [Each in keyof Wraps]-?: NonNullable<Wraps[Each]> };
  #primary: RedisNode;
  #clock = 0;

  constructor(plan: Plan, scheduler: Scheduler, trace: Trace, wraps: Wraps) {
    this.plan = plan;
    this.scheduler = scheduler;
    this.trace = trace;
    this.#wraps = {
      wrap: wraps.wrap ?? ((client) => client),
      wrapTable: wraps.wrapTable ?? ((executor) => executor),
      changeOptions: wraps.changeOptions ?? ((options) => options),
      wrapHealth: wraps.wrapHealth ?? ((ask) => ask),
    };
    this.aside = new IdsAside(
      plan.options.maxIdsLost,
      (commit) => this.#asideAt(commit),
      () => this.processes.length,
    );
    this.#random = new Random(plan.seed, 'world');
    const random = new Random(plan.seed, 'servers');
    const { sequences, startAfter, cpuTickUs, cluster, writableReplicas: writableReplica } = plan;
    this.table = new SegmentTable({
      scheduler,
      trace,
      sequences,
      startAfter,
      seed: plan.seed,
      random: new Random(plan.seed, 'table'),
      plan: plan.table,
      wrap: this.#wraps.wrapTable,
      onCommit: (commit) => this.aside.committed(commit),
    });
    this.operator = this.table.executorFor({ ...scheduler.world, name: 'operator' });
    this.later(FAIR_MS, () => {
      this.table.latency = [plan.tableMs / 10, plan.tableMs];
    });
    const node = (letter: string): RedisNode => {
      const name = `redis ${letter}`;
      const ran = (keyspace: Keyspace, key: string, reply: Reply): void => {
        if (reply === 'FULL') this.aside.full(name, key);
        const hash = keyspace.get(key);
        if (!(hash instanceof Map)) return;
        this.aside.ran(key, hash, scheduler.now);
        if (reply === 'OK') this.aside.installed(name, key, hash);
      };
      return new RedisNode({ name, scheduler, random, cpuTickUs, writableReplica, ran });
    };
    const count = (cluster?.masters ?? 1) * (plan.replicas + 1);
    this.nodes = [...'ABCDEF'].slice(0, count).map(node);
    if (plan.spare) this.spare = node('S');
    this.#primary = this.nodes[0] as RedisNode;
    this.cluster = cluster && new SimCluster(plan, cluster, scheduler, this.nodes);
    if (cluster === undefined) this.followPrimary();
  }

  /** The server that dispenses; in a Cluster, the one of the first sequence. */
  get primary(): RedisNode {
    return this.cluster?.ownerOfSequence(this.plan.sequences[0] ?? '').node ?? this.#primary;
  }

  set primary(node: RedisNode) {
    this.#primary = node;
  }

  get alive(): SimProcess[] {
    return this.processes.filter(({ alive }) => alive);
  }

  get replicas(): RedisNode[] {
    return this.nodes.filter((node) => node.alive && node.role === 'slave');
  }

  /** Whether Redis knows all reserved ids of this sequence, so that the table may forget some. */
  redisKnows(name: string): boolean {
    if (this.plan.uses.get(name) !== 'redis') return false;
    return Number(this.hashOf(name)?.get('m') ?? -1) >= this.table.highest(name);
  }

  /** The hash that dispenses a sequence; undefined if there is none, or if it belongs to another reign. */
  hashOf(name: string): ReadonlyMap<string, string> | undefined {
    const member = this.cluster?.ownerOfSequence(name);
    const { keyspace, replid } = member?.node ?? this.primary;
    const key = keyOf(name);
    const hash = keyspace.get(key);
    const epoch = member === undefined ? `${replid}:${key}` : `${replid}:${member.myEpoch}:${key}`;
    return hash instanceof Map && hash.get('e') === epoch ? hash : undefined;
  }

  /** Makes all other running servers replicas of the primary. */
  followPrimary(): void {
    for (const node of this.nodes) {
      if (node !== this.primary && node.alive) node.follow(this.primary, this.#random.magnitude(0.2, 50));
    }
  }

  startProcess(): SimProcess {
    const { plan, scheduler, trace } = this;
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
    const process: SimProcess = new SimProcess({
      number,
      owner,
      plan,
      scheduler,
      trace,
      client,
      redis: this.#wraps.wrap(client),
      source: this.table.sourceFor(owner),
      tick: () => this.#tick(),
      changeOptions: this.#wraps.changeOptions,
      wrapHealth: this.#wraps.wrapHealth,
    });
    this.processes.push(process);
    if (this.stopping) process.stop();
    process.start();
    return process;
  }

  /** What the reserving process has; undefined for an operator. */
  #asideAt({ who, name }: Commit): Aside | undefined {
    const process = this.processes.find(({ owner }) => owner.name === who);
    if (process === undefined) return undefined;
    const strategy = process.strategyFor(name);
    return {
      held: strategy.startsWith('redis') ? undefined : process.calls(name)?.held,
      hash: strategy === 'redis' ? this.hashOf(name) : undefined,
    };
  }

  #clientFor(owner: Owner, random: Random, resolve: () => RedisNode): ProcessClient {
    const { plan, scheduler, trace, cluster } = this;
    if (cluster === undefined) {
      const { resends, maxResends, reconnectsOnReadonly } = plan;
      const options = { scheduler, random, trace, owner, resolve };
      return new RedisClient({ ...options, resends, maxResends, reconnectsOnReadonly });
    }
    const reaches = (member: ClusterMember) => cluster.reaches(owner, member);
    const refreshMs = plan.cluster?.refreshMs;
    const options = { scheduler, random, trace, owner, refreshMs };
    return new ClusterClient({ ...options, members: cluster.members, reaches });
  }

  /** Ends the connections to a server; each client notices at a different time. */
  resetAll(node: RedisNode): void {
    for (const { client } of this.processes) {
      if (!client.isConnectedTo(node)) continue;
      this.later(this.#random.magnitude(0.1, 100), () => {
        if (client.isConnectedTo(node)) client.reset(this.#random.magnitude(1, 200), node);
      });
    }
  }

  /** Runs `act` after `ms`. */
  later(ms: number, act: () => void): void {
    this.scheduler.schedule(this.scheduler.now + ms, this.scheduler.world, act);
  }

  /**
   * Nanoseconds of the run, increased by one if two readings would be equal, so that the history has one
   * order.
   */
  #tick(): number {
    this.#clock = Math.max(this.#clock + 1, Math.floor(this.scheduler.now * 1e6));
    return this.#clock;
  }
}
