import type { Random } from '../random.js';
import { EPOCH_MS } from '../time/platform.js';
import type { Scheduler } from '../time/scheduler.js';
import {
  apply,
  type CommandContext,
  type Effect,
  isWrite,
  type Membership,
  RedisError,
  type Reply,
  runCommand,
  Status,
} from './commands.js';
import { Keyspace, type RedisValue } from './keyspace.js';
import { runScript, sha1Of } from './script-engine.js';
import { ProcessLoad, serverInfo } from './server-info.js';

/** The settings of a server. */
export interface RedisNodeOptions {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** The resolution of the CPU time, in microseconds: kernels count in ticks or exactly. */
  readonly cpuTickUs: number;
  /** `replica-read-only no`: as a replica it accepts writes of clients, but does not replicate them. */
  readonly writableReplica?: boolean;
  /** Called after each script. */
  readonly ran?: (keyspace: Keyspace, script: RanScript) => void;
}

/** What a script was called with, and what it replied. */
export interface RanScript {
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly reply: Reply;
}

/** How a command was sent. */
export interface ExecuteOptions {
  /** After an `ASKING` on the same connection. */
  readonly asking?: boolean;
  /** A command of the server itself, which may do what clients may not. */
  readonly local?: boolean;
}

const NO_REPLID = '0'.repeat(40);

/** The contents of a dump file. */
export interface Dump {
  readonly keyspace: Keyspace;
  /** The replication position of its writer; absent if that never had a replica and so kept no backlog. */
  readonly replication?: { readonly replid: string; readonly offset: number };
}

interface InTransit {
  readonly at: number;
  readonly offset: number;
  readonly effect: Effect;
}

/** A stream of writes from a master to one replica. */
interface ReplicaLink {
  readonly master: RedisNode;
  readonly lagMs: number;
  readonly inTransit: InTransit[];
  /** If false, what has not arrived never will. */
  up: boolean;
}

/** A Redis server: one address, with one process after another. */
export class RedisNode implements CommandContext {
  readonly name: string;
  keyspace = new Keyspace();
  readonly info = serverInfo(() => ({
    role: this.role,
    replid: this.replid,
    replid2: this.#replid2,
    offset: this.offset,
    secondOffset: this.#secondOffset,
    runId: this.#runId,
    commands: this.#load.commands,
    cpuUserUs: this.#load.cpuUs(0.6),
    cpuSysUs: this.#load.cpuUs(0.4),
    clusterEnabled: this.cluster !== undefined,
  }));
  /** Its membership in a Cluster; undefined for a server outside of Clusters. */
  cluster: Membership | undefined;
  role: 'master' | 'slave' = 'master';
  replid: string;
  offset = 0;
  /** False between a kill and the next start. */
  alive = true;
  /** The number of processes that have run at this address. */
  incarnation = 1;
  /** Nothing is executed before this time. */
  stalledUntil = 0;
  /** How far the server's clock is ahead of the world's, in milliseconds. */
  clockOffset = 0;
  readonly #options: RedisNodeOptions;
  readonly #scripts = new Map<string, string>();
  readonly #replicas = new Set<RedisNode>();
  /** Replicas whose loss it has not noticed yet, with the last offset they confirmed. */
  readonly #silent = new Map<RedisNode, number>();
  #link: ReplicaLink | undefined;
  /** Whether this process ever had a replica or was one. */
  #backlog = false;
  #replid2 = NO_REPLID;
  #secondOffset = -1;
  #runId: string;
  #load: ProcessLoad;

  constructor(options: RedisNodeOptions) {
    this.#options = options;
    this.name = options.name;
    this.replid = options.random.hex(40);
    this.#runId = options.random.hex(40);
    this.#load = new ProcessLoad(options.random, options.cpuTickUs);
  }

  get timeMs(): number {
    return EPOCH_MS + this.#options.scheduler.now + this.clockOffset;
  }

  /** Runs one command, including `EVAL` and `EVALSHA`, and returns its reply. Only while alive. */
  execute(args: readonly string[], { asking = false, local = false }: ExecuteOptions = {}): Reply {
    this.catchUp();
    this.keyspace.expire(this.timeMs);
    // A redirected command is not counted.
    const refusal = local ? undefined : this.cluster?.refusal(args, asking);
    if (refusal !== undefined) return refusal;
    try {
      const name = (args[0] ?? '').toUpperCase();
      if (name === 'EVAL' || name === 'EVALSHA') return this.#evaluate(name, args, asking);
      if (name === 'SCRIPT' && args[1]?.toUpperCase() === 'FLUSH') {
        this.#scripts.clear();
        return new Status('OK');
      }
      return this.#run(args);
    } catch (error) {
      if (error instanceof RedisError) return error;
      throw error;
    } finally {
      this.#load.count();
    }
  }

  wrote(effect: Effect): void {
    // What a client writes to a writable replica is not part of the replication stream.
    if (this.role === 'slave') return;
    if (effect.type === 'hset') this.offset += 30 + 10 * effect.pairs.length;
    else this.offset += 40;
    const { now } = this.#options.scheduler;
    for (const replica of this.#replicas) {
      const link = replica.#link;
      if (link?.up) link.inTransit.push({ at: now + link.lagMs, offset: this.offset, effect });
    }
  }

  /** How many replicas have confirmed everything up to `offset`. */
  replicasWith(offset: number): number {
    let count = [...this.#silent.values()].filter((confirmed) => confirmed >= offset).length;
    for (const replica of this.#replicas) {
      replica.catchUp();
      if (replica.alive && replica.#link?.up && replica.offset >= offset) count++;
    }
    return count;
  }

  /** Applies the writes of the master that have arrived by now. */
  catchUp(): void {
    const link = this.#link;
    if (link === undefined) return;
    const { now } = this.#options.scheduler;
    for (let next = link.inTransit[0]; next !== undefined && next.at <= now; next = link.inTransit[0]) {
      link.inTransit.shift();
      apply(this.keyspace, next.effect);
      this.offset = next.offset;
    }
  }

  /** Becomes a replica of `master`: copies its data, and from then on receives its writes `lagMs` later. */
  follow(master: RedisNode, lagMs: number): void {
    this.catchUp();
    this.#leaveMaster();
    this.#silent.clear();
    master.#silent.delete(this);
    this.role = 'slave';
    this.keyspace = master.keyspace.copy();
    this.replid = master.replid;
    this.#replid2 = NO_REPLID;
    this.#secondOffset = -1;
    this.offset = master.offset;
    this.#link = { master, lagMs, inTransit: [], up: true };
    master.#replicas.add(this);
    master.#backlog = true;
    this.#backlog = true;
  }

  /**
   * From now on nothing from the master arrives. A master that has not noticed still counts what the replica
   * confirmed before.
   */
  cutLink({ noticed = true } = {}): void {
    this.catchUp();
    if (this.#link === undefined) return;
    if (!noticed && this.#link.up) this.#link.master.#silent.set(this, this.offset);
    this.#link.up = false;
    this.#link.inTransit.length = 0;
  }

  /** Becomes a master with the data it has. */
  promote(): void {
    this.catchUp();
    this.#leaveMaster();
    this.#link = undefined;
    this.role = 'master';
    this.#replid2 = this.replid;
    this.#secondOffset = this.offset + 1;
    this.replid = this.#options.random.hex(40);
  }

  dump(): Dump {
    this.catchUp();
    const { replid, offset } = this;
    return { keyspace: this.keyspace.copy(), ...(this.#backlog && { replication: { replid, offset } }) };
  }

  kill(): void {
    this.alive = false;
    for (const replica of this.#replicas) replica.cutLink();
    this.#replicas.clear();
    this.#silent.clear();
    this.cutLink();
    this.#link = undefined;
  }

  /** Starts a new process, a master, with the data of the dump or empty. */
  start(dump?: Dump): void {
    const { random, cpuTickUs } = this.#options;
    this.alive = true;
    this.incarnation++;
    this.role = 'master';
    this.keyspace = dump?.keyspace.copy() ?? new Keyspace();
    this.replid = random.hex(40);
    // A master keeps the replication id in its dump as the second one, so that former replicas may resume.
    const replication = dump?.replication;
    this.#replid2 = replication?.replid ?? NO_REPLID;
    this.#secondOffset = replication === undefined ? -1 : replication.offset + 1;
    this.offset = replication?.offset ?? 0;
    this.#backlog = false;
    this.#runId = random.hex(40);
    this.#scripts.clear();
    this.#load = new ProcessLoad(random, cpuTickUs);
  }

  /** Sets a key as it is, like `RESTORE` on behalf of `MIGRATE`. */
  restore(key: string, value: RedisValue): void {
    const effect: Effect = { type: 'restore', key, value };
    apply(this.keyspace, effect);
    this.wrote(effect);
  }

  #evaluate(name: string, [, script = '', count = '0', ...rest]: readonly string[], asking: boolean): Reply {
    const text = name === 'EVAL' ? script : this.#scripts.get(script.toLowerCase());
    if (text === undefined) return new RedisError('NOSCRIPT No matching script. Please use EVAL.');
    if (name === 'EVAL') this.#scripts.set(sha1Of(script), script);
    const keys = rest.slice(0, Number(count));
    const args = rest.slice(Number(count));
    const reply = runScript(text, keys, args, (command) => {
      try {
        return this.cluster?.refusalInScript(command, asking) ?? this.#run(command);
      } catch (error) {
        if (error instanceof RedisError) return error;
        throw error;
      } finally {
        this.#load.count();
      }
    });
    this.#options.ran?.(this.keyspace, { keys, args, reply });
    return reply;
  }

  #run(args: readonly string[]): Reply {
    const readOnly = this.role === 'slave' && this.#options.writableReplica !== true;
    if (readOnly && isWrite((args[0] ?? '').toUpperCase())) {
      return new RedisError("READONLY You can't write against a read only replica.");
    }
    return runCommand(this, args);
  }

  #leaveMaster(): void {
    const link = this.#link;
    if (link !== undefined) link.master.#replicas.delete(this);
  }
}
