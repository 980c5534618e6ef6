import type { ReserveOptions, SegmentSource } from '@ids/segment';
import { type SqlExecutor, SqlSegmentSource } from '@ids/segment/sql';
import { Random } from '../random.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { checkedSource } from './checked-source.js';
import { type Commit, SimulatedExecutor } from './simulated-executor.js';
import { SyncStandby } from './sync-standby.js';
import type { TablePlan } from './table-plan.js';
import { changeOf, type TableRow, timelineName, xminOf } from './table-row.js';
import { TableServer } from './table-server.js';

/** Stands between the source and its executor, to take a guard out of the statements. */
export type WrapTable = (executor: SqlExecutor) => SqlExecutor;

export interface SegmentTableOptions {
  readonly scheduler: Scheduler;
  readonly seed: number;
  readonly random: Random;
  readonly trace: Trace;
  readonly sequences: readonly string[];
  /** The id before the first one. */
  readonly startAfter: number;
  readonly plan: TablePlan;
  readonly wrap: WrapTable;
  /** Hears of each reservation that is made. */
  readonly onCommit?: (commit: Commit) => void;
}

const SYSTEM_ID = 7_000_000_000_001;

/**
 * The central table, one row per sequence, on the server that is the primary now. The product's
 * `SqlSegmentSource` sends its own statements to it; the ways there and back, and what can happen on them,
 * are in `SimulatedExecutor`.
 */
export class SegmentTable {
  /** Milliseconds that a statement and its reply take each: from, to. */
  latency: readonly [number, number] = [0.2, 2];
  /** Nothing is executed before this time: a slow disk, a lock of the whole table. */
  stalledUntil = 0;
  /** Somebody holds a lock of the rows until this time. */
  lockedUntil = 0;
  /** Nobody can connect before this time. */
  downUntil = 0;
  /** How likely a connection breaks after the commit, before its reply has come. */
  loseReplies = 0;
  server: TableServer;
  /** Undefined: commits wait for nobody. */
  readonly standby: SyncStandby | undefined;
  /** Where the source or one of its statements did not keep what is promised of it. */
  readonly broken: string[] = [];
  /** What reservations under way ask for, by their signals. */
  readonly requests = new WeakMap<AbortSignal, ReserveOptions>();
  readonly #options: SegmentTableOptions;
  /** Per sequence, the highest id that was ever reserved. */
  readonly #highest = new Map<string, number>();

  constructor(options: SegmentTableOptions) {
    this.#options = options;
    const { plan, sequences, startAfter } = options;
    const { guard, triggers, firstXact: xact } = plan;
    const reign =
      plan.oldRows || guard === 'off'
        ? { system_id: null, timeline: null, last_xact: null }
        : {
            system_id: guard === 'full' ? SYSTEM_ID : null,
            timeline: guard === 'full' ? timelineName(1) : null,
            last_xact: xact,
          };
    const row = (server_name: string): TableRow => ({
      server_name,
      max_id: startAfter,
      realm: 'realm-of-the-run',
      group_by: null,
      time_zone: null,
      noticed: null,
      xmin: xminOf(xact),
      ...reign,
    });
    const rows = new Map(sequences.map((name) => [name, row(name)]));
    this.server = new TableServer({
      systemId: SYSTEM_ID,
      timeline: 1,
      rows,
      nextXact: xact + 1,
      triggers,
      guard,
      synchronous: plan.synchronous !== undefined,
      ...(plan.synchronous && { settings: plan.synchronous }),
    });
    this.standby =
      plan.synchronous &&
      new SyncStandby(options.scheduler, new Random(options.seed, 'standby of the table'));
  }

  maxId(name: string): number {
    return this.server.rows.get(name)?.max_id ?? 0;
  }

  highest(name: string): number {
    return Math.max(this.#highest.get(name) ?? 0, this.maxId(name));
  }

  /** Notes how far a commit raised a sequence that is not to be lost any more. */
  raised({ server_name: name, max_id: maxId }: TableRow): void {
    this.#highest.set(name, Math.max(this.#highest.get(name) ?? 0, maxId));
  }

  onCommit(commit: Commit): void {
    this.#options.onCommit?.(commit);
  }

  /** What the next reservation of a sequence notices, on this server or on another one in its place. */
  pending(name: string, server = this.server): 'failover' | 'restore' | undefined {
    const row = server.rows.get(name);
    return row && changeOf(row, server.options, this.#options.plan.guard);
  }

  /**
   * Whether the table gives no id of the past, should this server take over: it lost nothing, or skips what
   * it may have lost, or refuses.
   */
  covers(server: TableServer): boolean {
    return this.#options.sequences.every((name) => {
      const lost = this.highest(name) - (server.rows.get(name)?.max_id ?? 0);
      const change = this.pending(name, server);
      const skip = change === undefined ? 0 : this.skip(change);
      return skip === 'refuse' || lost <= skip;
    });
  }

  skip(change: 'failover' | 'restore'): number | 'refuse' {
    const { afterFailover, afterRestore } = this.#options.plan.after;
    return (change === 'failover' ? afterFailover : afterRestore) ?? 0;
  }

  /** Whether it lacks ids that were given, and would neither skip them nor refuse to go on. */
  get behind(): boolean {
    return !this.covers(this.server);
  }

  /** Another server takes the place of this one: what waits on it is lost with it. */
  replace(server: TableServer): void {
    this.server = server;
    this.standby?.leave();
    this.lockedUntil = 0;
  }

  /** The way of one process to the table. */
  sourceFor(owner: Owner): SegmentSource {
    const source = new SqlSegmentSource(this.executorFor(owner), this.#options.plan.after);
    return checkedSource(source, (problem) => this.broken.push(`${owner.name}: ${problem}`), this.requests);
  }

  executorFor(owner: Owner): SqlExecutor {
    const { wrap, scheduler, random, trace } = this.#options;
    return wrap(new SimulatedExecutor({ table: this, owner, scheduler, random, trace }));
  }
}
