import type { KeyedIdGenerator } from '@ids/core';
import { defineGuarantees } from '@ids/core/strategy';
import { createKeyedHttpGenerator } from '@ids/http';
import { KeyedDispenser } from '@ids/keyed';
import { SqlKeyedSource } from '@ids/keyed/sql';
import { createKeyedSegmentRedisDbGenerator, type RedisLike } from '@ids/segment-redis-db';
import type { ServedGenerators } from '@ids/server';
import type { NewReignOptions, SqlExecutor } from '@ids/store';
import { isOverHttp } from '../http/http-plan.js';
import { type IdServers, startIdServers } from '../http/id-servers.js';
import { Random } from '../random.js';
import type { Keyspace } from '../redis/keyspace.js';
import type { RanScript } from '../redis/redis-node.js';
import { watchScripts } from '../redis/watch-scripts.js';
import { executorPool } from '../table/executor-pool.js';
import { SegmentTable } from '../table/segment-table.js';
import { changeOf, type TableServer } from '../table/table-server.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { type AllWraps, allWraps, BaseWorld, type Wraps } from '../world/base-world.js';
import { FAMILY, FAMILY_HASH, type KeyRecord, readRecord, recordOf } from './key-record.js';
import type { KeyedPlan } from './keyed-plan.js';
import { KeyedProcess } from './keyed-process.js';
import { KeysAside } from './keys-aside.js';

const GUARANTEES = defineGuarantees({
  within: 'key',
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'real-time' },
  gaps: 'on-fault',
  sync: false,
  idType: 'number',
  text: { pattern: /^\d+$/, alphabet: '0123456789', minLength: 1, maxLength: 16, sortable: false },
  backends: ['sql'],
  discloses: ['volume'],
});

/** What a process remembers of a key. */
export interface Remembered {
  readonly last: number;
  readonly top: number;
}

/**
 * How long a former primary is refused where it becomes the primary again, since runs are short: for longer
 * than it answers beside its successor.
 */
const REFUSE_MS = 2_000;

/** How many arguments follow the keys of a take, and which of them count. */
const TAKE = { length: 7, holder: 3, wanted: 6 };

/** The options of a plan. */
export function skipsOf({ skips: { afterFailover, afterRestore }, perSecond }: KeyedPlan): NewReignOptions {
  if (perSecond === undefined) return { afterFailover, afterRestore };
  return {
    afterFailover: { base: afterFailover, perSecond },
    afterRestore: { base: afterRestore, perSecond },
  };
}

/** The processes with generators of one family, and their backends. */
export class KeyedWorld extends BaseWorld<KeyedPlan, KeyedProcess> {
  readonly table: SegmentTable;
  readonly servers: IdServers | undefined;
  /** The connections of an operator to the table. */
  readonly operator: SqlExecutor;
  /** Checks that no more ids of a key are set aside than allowed. */
  readonly aside: KeysAside;
  readonly #wraps: AllWraps;
  /** By process and key, what it last told Redis that it remembers. */
  readonly #remembered = new Map<string, Remembered>();
  /** By process, the name under which it holds leases. */
  readonly #holders = new Map<string, string>();

  constructor(plan: KeyedPlan, scheduler: Scheduler, trace: Trace, wraps: Wraps) {
    super(plan, scheduler, trace, [FAMILY]);
    this.#wraps = allWraps(wraps);
    this.aside = new KeysAside(
      plan.options.maxIdsLost,
      (key) => this.present(key),
      (who) => this.#holders.get(who),
    );
    const { seed, startAfter, triggers, firstXact, skips } = plan;
    this.table = new SegmentTable({
      scheduler,
      trace,
      seed,
      random: new Random(seed, 'table'),
      sequences: [FAMILY],
      startAfter,
      plan: {
        guard: 'full',
        triggers,
        firstXact,
        oldRows: false,
        after: skips,
        repairMs: 0,
        synchronous: undefined,
      },
      wrap: this.#wraps.wrapTable,
      onCommit: (commit) => this.aside.committed(commit),
    });
    this.operator = this.table.executorFor({ ...scheduler.world, name: 'operator' });
    this.servers = startIdServers(plan, {
      scheduler,
      trace,
      open: (server) => this.#served(server),
      changeAnswer: this.#wraps.changeAnswer,
    });
    this.begin();
  }

  startProcess(): KeyedProcess {
    const { plan, scheduler, trace } = this;
    return this.addProcess(({ number, owner, client }) => {
      const random = new Random(plan.seed, `process ${number}`);
      const redis = this.#wraps.wrap(client);
      const servers = isOverHttp(plan.seed, number) ? this.servers : undefined;
      const open = () => {
        if (servers !== undefined) return this.#openOverHttp(servers, owner);
        return plan.redis === undefined ? this.#openOverTable(owner) : this.#open(owner, redis);
      };
      const tick = () => this.tick();
      return new KeyedProcess({ number, owner, client, plan, scheduler, trace, random, open, tick });
    });
  }

  override heal(): void {
    super.heal();
    this.table.former = undefined;
    this.table.lockedKeys.clear();
  }

  /** What a process last told Redis that it remembers of a key; -1 before its first take of it. */
  remembers({ owner }: KeyedProcess, key: string): Remembered {
    return this.#remembered.get(`${owner.name} ${key}`) ?? { last: -1, top: -1 };
  }

  /** The record that dispenses a key; undefined if there is none, or if it belongs to another reign. */
  present(key: string): KeyRecord | undefined {
    const { keyspace, replid } = this.primary;
    const epoch = this.cluster && `:${this.cluster.ownerOfSequence(FAMILY).myEpoch}`;
    const family = keyspace.get(FAMILY_HASH);
    const record = readRecord(keyspace.get(recordOf(key)));
    if (!(family instanceof Map) || family.get('e') !== `${replid}${epoch ?? ''}:${FAMILY_HASH}`)
      return undefined;
    return record?.fence === `${key} ${family.get('f')}` ? record : undefined;
  }

  /**
   * Whether no id is reserved twice if `server` takes over: what it lacks of a key is no more than is skipped
   * of it, or of the family if it lacks the row of the key. That is the limit of what is promised.
   */
  covers({ rows, options }: TableServer): boolean {
    const family = rows.get(FAMILY);
    if (family === undefined) return false;
    const skipOf = (name: string): number => {
      const row = rows.get(name) ?? family;
      const change = changeOf(row, options, 'full');
      const { afterFailover, afterRestore } = this.plan.skips;
      if (change === undefined) return 0;
      return change === 'failover' ? afterFailover : afterRestore;
    };
    return this.table.names.every((name) => {
      const row = rows.get(name) ?? family;
      return this.table.highest(name) - row.max_id <= skipOf(name);
    });
  }

  override get behind(): boolean {
    return !this.covers(this.table.server);
  }

  /** Replaces the table's server by one that lacks as many commits as allowed, `mostLost` at the most. */
  goBack(
    mostLost: number,
    make: (server: TableServer, lost: number) => TableServer,
    isAllowed: (server: TableServer) => boolean,
  ): string | undefined {
    const { table } = this;
    let [next, lacks]: [TableServer | undefined, number] = [undefined, 0];
    const most = Math.min(table.server.commits, mostLost);
    for (let lost = 0; lost <= most; lost++) {
      const candidate = make(table.server, lost);
      if (!isAllowed(candidate)) break;
      [next, lacks] = [candidate, lost];
    }
    if (next === undefined) return undefined;
    const missing = table.names.filter((name) => !next.rows.has(name)).length;
    table.replace(next);
    return `lacks ${lacks} commits and ${missing} keys`;
  }

  protected override scriptRan(node: string, keyspace: Keyspace, script: RanScript): void {
    const [family, ...records] = script.keys;
    if (family === FAMILY_HASH) this.aside.ran(node, keyspace, script, records, this.scheduler.now);
  }

  async #served(server: Owner): Promise<ServedGenerators> {
    const { realm } = await this.table.sourceFor(server).describe(FAMILY);
    return { [FAMILY]: { generator: await this.#openOverTable(server), realm } };
  }

  #openOverHttp(servers: IdServers, owner: Owner): Promise<KeyedIdGenerator<number>> {
    const { deadlineMs } = this.plan.options;
    return createKeyedHttpGenerator({ ...servers.wayOf(owner), name: FAMILY, keyed: true, deadlineMs });
  }

  #openOverTable(owner: Owner): Promise<KeyedIdGenerator<number>> {
    const { plan, table } = this;
    const { maxStep, deadlineMs } = plan.options;
    return KeyedDispenser.open<number>({
      strategy: 'keyed',
      guarantees: GUARANTEES,
      source: new SqlKeyedSource(table.executorFor(owner), skipsOf(plan)),
      name: FAMILY,
      toId: (value) => value,
      maxStep,
      deadlineMs,
      ...(plan.givesBack && { refuseFormerPrimaryMs: REFUSE_MS }),
    });
  }

  #open(owner: Owner, redis: RedisLike): Promise<KeyedIdGenerator<number>> {
    const { plan, table } = this;
    return createKeyedSegmentRedisDbGenerator({
      ...this.#wraps.changeOptions(plan.options),
      ...plan.redis,
      ...skipsOf(plan),
      keyed: true,
      name: FAMILY,
      redis: watchScripts(redis, (keys, args) => this.#sent(owner, keys, args)),
      database: executorPool(table.executorFor(owner)),
    });
  }

  /** Notes what a process tells Redis with a take. */
  #sent({ name: who }: Owner, [, ...names]: readonly string[], args: readonly string[]): void {
    if (args.length !== TAKE.length) return;
    this.#holders.set(who, args[TAKE.holder] ?? '');
    const wanted = (args[TAKE.wanted] ?? '').split(' ').map(Number);
    for (const [i, name] of names.entries()) {
      const key = name.slice(FAMILY_HASH.length + 1);
      const [last = 0, top = 0] = wanted.slice(3 * i + 1, 3 * i + 3);
      this.#remembered.set(`${who} ${key}`, { last, top });
    }
  }
}
