import type { SqlExecutor } from '@ids/store';
import { isOverHttp } from '../http/http-plan.js';
import { type IdServers, startIdServers } from '../http/id-servers.js';
import { leasedSource, servedSequences } from '../http/served-sequences.js';
import { Random } from '../random.js';
import { type Keyspace, keyOf } from '../redis/keyspace.js';
import type { RanScript } from '../redis/redis-node.js';
import { SegmentTable } from '../table/segment-table.js';
import type { Commit } from '../table/simulated-executor.js';
import type { Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { type AllWraps, allWraps, BaseWorld, type Wraps } from './base-world.js';
import { type Aside, IdsAside } from './ids-aside.js';
import type { Plan } from './plan.js';
import { SimProcess } from './sim-process.js';

/** Where an install has the lower end of its segment. */
const INSTALL_LOW = 2;

/** The processes that issue ids of one sequence or several, and their backends. */
export class World extends BaseWorld<Plan, SimProcess> {
  readonly table: SegmentTable;
  /** The operator's connection to the table, and how many floors are being set. */
  readonly operator: SqlExecutor;
  floorsUnderWay = 0;
  /** Checks that no more ids are set aside than allowed. */
  readonly aside: IdsAside;
  readonly servers: IdServers | undefined;
  readonly #wraps: AllWraps;

  constructor(plan: Plan, scheduler: Scheduler, trace: Trace, wraps: Wraps) {
    super(plan, scheduler, trace, plan.sequences);
    this.#wraps = allWraps(wraps);
    this.aside = new IdsAside(
      plan.options.maxIdsLost,
      (commit) => this.#asideAt(commit),
      () => this.processes.length,
    );
    const { sequences, startAfter } = plan;
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
    this.servers = startIdServers(plan, {
      scheduler,
      trace,
      open: (server) => servedSequences(this.table, sequences, server),
      changeAnswer: this.#wraps.changeAnswer,
    });
    this.begin();
  }

  override get behind(): boolean {
    return this.table.behind;
  }

  override heal(): void {
    super.heal();
    this.table.standby?.cut(this.scheduler.now);
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

  startProcess(): SimProcess {
    const { plan, scheduler, trace } = this;
    return this.addProcess((parts) => {
      const servers = isOverHttp(plan.seed, parts.number) ? this.servers : undefined;
      return new SimProcess({
        ...parts,
        plan,
        scheduler,
        trace,
        redis: this.#wraps.wrap(parts.client),
        source: servers ? leasedSource(servers, this.table, parts.owner) : this.table.sourceFor(parts.owner),
        servers,
        tick: () => this.tick(),
        changeOptions: this.#wraps.changeOptions,
        wrapHealth: this.#wraps.wrapHealth,
      });
    });
  }

  protected override scriptRan(
    node: string,
    keyspace: Keyspace,
    { keys: [key = ''], args, reply }: RanScript,
  ): void {
    if (reply === 'FULL') this.aside.full(node, key, args[INSTALL_LOW]);
    const hash = keyspace.get(key);
    if (!(hash instanceof Map)) return;
    this.aside.ran(key, hash, this.scheduler.now);
    if (reply === 'OK') this.aside.installed(node, key, hash);
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
}
