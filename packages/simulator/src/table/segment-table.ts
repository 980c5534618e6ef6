import type { ReserveOptions, Segment, SegmentSource } from '@ids/segment';
import { SqlSegmentSource } from '@ids/segment/sql';
import { baseOf, type Pace, type SqlExecutor, skipAfter, skipsOf } from '@ids/store';
import { Random } from '../random.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { checkedSource } from './checked-source.js';
import { type Commit, type Reserving, SimulatedExecutor } from './simulated-executor.js';
import { SyncStandby } from './sync-standby.js';
import type { TablePlan } from './table-plan.js';
import { changeOf, type TableRow, TableServer, timelineName, xminOf } from './table-server.js';

/** Wraps the executor of a source, to remove a guard from the statements. */
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
  /** Called for each reservation. */
  readonly onCommit?: (commit: Commit) => void;
}

/** A primary that does not know that another one has followed it. */
export interface FormerPrimary {
  readonly server: TableServer;
  /** The processes that are led to it. */
  readonly owners: Set<Owner>;
  /** By sequence, the last id that it may reserve by itself. */
  readonly limits: ReadonlyMap<string, number>;
}

const SYSTEM_ID = 7_000_000_000_001;

/**
 * The central table, one row per sequence, on the current primary. The real `SqlSegmentSource` sends its
 * statements to it; `SimulatedExecutor` simulates the connections and what can go wrong on them.
 */
export class SegmentTable {
  /** The time in transit of a statement or a reply, in milliseconds: from, to. */
  latency: readonly [number, number] = [0.2, 2];
  /** Nothing is executed before this time: a slow disk, or a lock on the whole table. */
  stalledUntil = 0;
  /** Somebody holds locks on the rows until this time. */
  lockedUntil = 0;
  /** Until when somebody has locked the row of a key, by its name. */
  readonly lockedKeys = new Map<string, number>();
  /** Nobody can connect before this time. */
  downUntil = 0;
  /** How far the clocks of the servers are ahead of the run, for the hours that nobody plays. */
  aheadMs = 0;
  /** The probability that a connection breaks after the commit and before the reply arrives. */
  loseReplies = 0;
  server: TableServer;
  /** Whether there ever was one. */
  forked = false;
  /** Undefined if commits wait for no standby. */
  readonly standby: SyncStandby | undefined;
  /** Violations by the source or one of its statements. */
  readonly broken: string[] = [];
  /** The options of pending reservations, by their signals. */
  readonly requests = new WeakMap<AbortSignal, ReserveOptions>();
  readonly #options: SegmentTableOptions;
  /** Per sequence, the highest id that was ever reserved. */
  readonly #highest = new Map<string, number>();
  /** Per sequence, where rows of former servers stood, also by commits that no standby has. */
  readonly #stood = new Map<string, number>();
  /** Per sequence, the ids that were used in the hours that nobody plays. */
  readonly #usedElsewhere = new Map<string, Segment[]>();
  /** The names of all reigns that another one followed in a row. */
  readonly #followed = new Set<string>();
  #former: FormerPrimary | undefined;

  constructor(options: SegmentTableOptions) {
    this.#options = options;
    const { plan, sequences, startAfter } = options;
    const { guard, triggers, firstXact: xact } = plan;
    const reign =
      plan.oldRows || guard === 'off'
        ? { system_id: null, timeline: null, last_xact: null, reigns: null }
        : {
            system_id: guard === 'full' ? SYSTEM_ID : null,
            timeline: guard === 'full' ? timelineName(1) : null,
            last_xact: xact,
            reigns: `${(SYSTEM_ID % 2 ** 32).toString(16)}.${timelineName(1)}-00000000`,
          };
    const row = (server_name: string): TableRow => ({
      server_name,
      max_id: startAfter,
      realm: 'realm-of-the-run',
      group_by: null,
      time_zone: null,
      noticed: null,
      database_id: null,
      minute_began: 0,
      minute_ids: 0,
      peak_rate: 0,
      seconds_lost: 0,
      reigns_lost: 0,
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

  /** A former primary that still answers some processes beside its successor. */
  get former(): FormerPrimary | undefined {
    return this.#former;
  }

  set former(former: FormerPrimary | undefined) {
    if (this.#former !== undefined) this.#left(this.#former.server);
    this.#former = former;
  }

  maxId(name: string): number {
    return this.server.rows.get(name)?.max_id ?? 0;
  }

  highest(name: string): number {
    return Math.max(this.#highest.get(name) ?? 0, this.maxId(name));
  }

  /** The highest id that a row ever showed: somebody may know it, though nobody uses it. */
  highestShown(name: string): number {
    return Math.max(this.#stood.get(name) ?? 0, this.highest(name));
  }

  /** The names of all rows of which ids were reserved. */
  get names(): readonly string[] {
    return [...this.#highest.keys()];
  }

  /** Notes how far a commit raised a sequence, which must not be lost from now on. */
  raised({ server_name: name, max_id: maxId }: TableRow): void {
    this.#highest.set(name, Math.max(this.#highest.get(name) ?? 0, maxId));
  }

  onCommit(commit: Commit): void {
    const { who, name, low, high } = commit;
    const used = this.#usedElsewhere.get(name)?.find((one) => low <= one.high && one.low <= high);
    if (used !== undefined) {
      this.broken.push(
        `${who}: reserved ${low}..${high} of ${name}, of which ${used.low}..${used.high} were used`,
      );
    }
    this.#options.onCommit?.(commit);
  }

  /** What was used of a sequence, up to `high`, by processes that are gone. */
  usedElsewhere(name: string, high: number): void {
    const used = { low: this.highest(name) + 1, high };
    this.#usedElsewhere.set(name, [...(this.#usedElsewhere.get(name) ?? []), used]);
    this.#highest.set(name, high);
  }

  /** When a row was used, and how fast, as its columns say. */
  paceOf({ minute_began, minute_ids, peak_rate }: TableRow): Pace {
    const ageSeconds = (this.#options.scheduler.now + this.aheadMs - minute_began) / 1_000;
    return { ageSeconds, idsPerSecond: Math.max(minute_ids / 60, peak_rate) };
  }

  /** What the next reservation of a sequence would notice, on this server or on a replacement. */
  pending(name: string, server = this.server): 'failover' | 'restore' | undefined {
    const row = server.rows.get(name);
    return row && changeOf(row, server.options, this.#options.plan.guard);
  }

  /**
   * Whether the table issues no old id if this server takes over: it lost nothing, skips what it may have
   * lost, or refuses.
   */
  covers(server: TableServer): boolean {
    return this.#options.sequences.every((name) => {
      const row = server.rows.get(name);
      const change = this.pending(name, server);
      const skip = row === undefined || change === undefined ? 0 : this.skipOf(row, server, change);
      return skip === null || this.highest(name) - (row?.max_id ?? 0) <= skip;
    });
  }

  /** Whether a reservation is refused after a change. */
  refuses(change: 'failover' | 'restore'): boolean {
    return skipsOf(this.#options.plan.after)[change] === null;
  }

  /**
   * Whether a copy came back from before a change of reign, and shows nothing of it. To those who know the
   * later reign it is a former primary: they use nothing of it until somebody accepts it.
   */
  isCopyOfFormer(name: string): boolean {
    const [present = ''] = reignsOf(this.server.rows.get(name));
    return this.pending(name) === undefined && this.#followed.has(present);
  }

  /** Whether it lacks issued ids and would neither skip them nor refuse to continue. */
  get behind(): boolean {
    return !this.covers(this.server);
  }

  /**
   * Lets `server`, which the present one has followed, answer the processes in `owners` as well. It is gone
   * before it has reserved as many ids as its successor skips: what is reserved there beyond that, by whoever
   * never met the successor, nobody can prevent.
   */
  keepFormer(server: TableServer): FormerPrimary {
    const limits = new Map(
      [...this.server.rows].map(([name, row]) => [name, row.max_id + (this.skipOf(row, this.server) ?? 0)]),
    );
    this.former = { server, owners: new Set(), limits };
    this.forked = true;
    return this.former;
  }

  /**
   * Makes a former primary the primary again, as managers do that know of no timelines: its successor is
   * gone. Returns whether that is allowed: only while the successor has reserved less than a server skips
   * that is reinstated; of a key that only the successor has, above its family.
   */
  giveBack({ server }: FormerPrimary): boolean {
    const { failover, restore } = skipsOf(this.#options.plan.after);
    const skipped = (baseOf(failover) ?? 0) + (baseOf(restore) ?? 0);
    const isCovered = [...this.server.rows.values()].every(({ server_name: name, max_id: maxId }) => {
      const [family = ''] = name.split('/');
      const row = server.rows.get(name) ?? server.rows.get(family);
      return maxId - (row?.max_id ?? 0) <= skipped;
    });
    if (!isCovered || this.server.options.timeline !== server.options.timeline + 1) return false;
    this.former = undefined;
    this.replace(server);
    return true;
  }

  /** How many ids the next reservation of a row skips on a server; null: it is refused. */
  skipOf(
    row: TableRow,
    { options }: TableServer,
    change = changeOf(row, options, this.#options.plan.guard),
  ): number | null {
    if (change === undefined) return 0;
    const { system_id, timeline, max_id } = row;
    const written = system_id === options.systemId ? Number.parseInt(timeline ?? '1', 16) : 1;
    return skipAfter(change, skipsOf(this.#options.plan.after), {
      timelines: system_id === null ? 0 : options.timeline - written,
      lane: options.lane ?? 0,
      pace: this.paceOf(row),
      left: Number.MAX_SAFE_INTEGER - max_id,
    });
  }

  serverFor(owner: Owner): TableServer {
    return this.former?.owners.has(owner) ? this.former.server : this.server;
  }

  answers(server: TableServer): boolean {
    return server === this.server || server === this.former?.server;
  }

  standbyOf(server: TableServer): SyncStandby | undefined {
    return server === this.server ? this.standby : undefined;
  }

  lockedUntilOf(name: string): number {
    return this.lockedKeys.get(name) ?? 0;
  }

  /**
   * A former primary is demoted before it comes near what its successor issues, also with the ids that it
   * skips itself: the successor may lack the commit that is the reason. What holds for a key that is new is
   * that of its family.
   */
  reserving(server: TableServer, name: string, { size, floor = 0, family = name }: Reserving): void {
    if (server !== this.former?.server) return;
    const { limits } = this.former;
    const limit = limits.get(name) ?? limits.get(family) ?? 0;
    const row = server.rows.get(name) ?? server.rows.get(family);
    const maxId = row?.max_id ?? 0;
    const change = floor > maxId ? 'restore' : undefined;
    const skipped = row === undefined ? 0 : (this.skipOf(row, server, change) ?? 0);
    const above = Math.max(maxId, floor);
    // Above the limit it was raised, which is for the run to find.
    if (above <= limit && above + skipped + size > limit) this.former = undefined;
  }

  /** Replaces the server: what waits on the old one is lost. */
  replace(server: TableServer): void {
    for (const row of this.server.rows.values()) {
      for (const name of reignsOf(row).slice(1)) this.#followed.add(name);
    }
    this.#left(this.server);
    this.server = server;
    this.standby?.leave();
    this.lockedUntil = 0;
    this.lockedKeys.clear();
  }

  /** Notes where the rows of a server stood that answers no more. */
  #left({ rows }: TableServer): void {
    for (const { server_name: name, max_id: maxId } of rows.values()) {
      this.#stood.set(name, Math.max(this.#stood.get(name) ?? 0, maxId));
    }
  }

  /** The source of one process. */
  sourceFor(owner: Owner): SegmentSource {
    const source = new SqlSegmentSource(this.executorFor(owner), this.#options.plan.after);
    return checkedSource(source, (problem) => this.broken.push(`${owner.name}: ${problem}`), this.requests);
  }

  executorFor(owner: Owner): SqlExecutor {
    const { wrap, scheduler, random, trace } = this.#options;
    return wrap(new SimulatedExecutor({ table: this, owner, scheduler, random, trace }));
  }
}

/** The names of the reigns in a row, the present one first. */
function reignsOf(row: TableRow | undefined): readonly string[] {
  return row?.reigns?.split(',') ?? [];
}
