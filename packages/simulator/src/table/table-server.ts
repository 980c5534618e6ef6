/**
 * A row of the segment table by column. `xmin` has the low 32 bits of the transaction that wrote this
 * version.
 */
export interface TableRow {
  readonly server_name: string;
  readonly max_id: number;
  readonly realm: string;
  readonly group_by: null;
  readonly time_zone: null;
  readonly system_id: number | null;
  readonly timeline: string | null;
  readonly last_xact: number | null;
  readonly noticed: string | null;
  readonly database_id: number | null;
  readonly reigns: string | null;
  /** In milliseconds of the run. */
  readonly minute_began: number;
  readonly minute_ids: number;
  readonly peak_rate: number;
  readonly seconds_lost: number;
  readonly reigns_lost: number;
  readonly xmin: number;
}

/** The identity of a server, as far as a reservation compares it. */
export interface ServerIdentity {
  readonly systemId: number;
  /** From 1; each promotion adds one. */
  readonly timeline: number;
}

/** How much of the reign the role may query, as in `@ids/store`. */
export type ReignGuard = 'full' | 'row' | 'off';

/** A transaction id as Postgres stores it in a row. */
export function xminOf(xact: number): number {
  return xact % 2 ** 32;
}

export function timelineName(timeline: number): string {
  return timeline.toString(16).padStart(8, '0').toUpperCase();
}

/**
 * What the next reservation notices, as decision 18 lists it. Independent of the SQL: it
 * decides which losses are covered, so it must not change if a guard is removed from the statements.
 */
export function changeOf(
  { system_id, timeline, last_xact, xmin }: TableRow,
  here: ServerIdentity,
  guard: ReignGuard,
): 'failover' | 'restore' | undefined {
  if (guard === 'off') return undefined;
  if (last_xact !== null && xminOf(last_xact) !== xmin) return 'restore';
  if (guard === 'row') return undefined;
  if (system_id !== null && system_id !== here.systemId) return 'restore';
  return timeline !== null && timeline !== timelineName(here.timeline) ? 'failover' : undefined;
}

/** An error with the SQLSTATE of Postgres. */
export class SqlStateError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface TableServerOptions extends ServerIdentity {
  readonly rows: ReadonlyMap<string, TableRow>;
  /** The id that the next transaction gets. */
  readonly nextXact: number;
  /** Whether the table has the triggers of the schema. */
  readonly triggers: boolean;
  readonly guard: ReignGuard;
  /** What its operator has set as `ids.lane`, 0 to 255; default 0. */
  readonly lane?: number;
  /** Whether commits wait for a standby. */
  readonly synchronous?: boolean;
  /** What the role, the database or a pooler has set. */
  readonly settings?: RoleSettings;
  /**
   * Counts the numbers that servers with this history drew at random: no two are equal, and other random
   * numbers of a seed stay as they are.
   */
  readonly drawn?: { count: number };
  /** Earlier commits, oldest first. */
  readonly log?: readonly Commit[];
}

/** Settings that a reservation must not rely on. */
export interface RoleSettings {
  readonly client_min_messages: 'notice' | 'error';
  readonly synchronous_commit: 'on' | 'off';
}

/** A row that a commit wrote; without `before`, it was inserted. */
export interface WrittenRow {
  readonly before: TableRow | undefined;
  readonly after: TableRow;
}

/** The rows before a commit that changed them, and the names of those that it inserted. */
interface Commit {
  readonly before: readonly TableRow[];
  readonly born?: readonly string[];
  readonly nextXact: number;
}

const LAST_ID = Number.MAX_SAFE_INTEGER;

/**
 * A Postgres server with the segment table, which runs the statements of `@ids/segment`. A promotion or a
 * restore creates a new one.
 */
export class TableServer {
  readonly options: TableServerOptions;
  readonly #rows: Map<string, TableRow>;
  readonly #log: Commit[];
  /** Rows whose last commit waits for a standby, as other transactions see them. */
  readonly #held = new Map<string, TableRow>();
  #nextXact: number;

  constructor(options: TableServerOptions) {
    this.options = { drawn: { count: 0 }, ...options };
    this.#rows = new Map(options.rows);
    this.#log = [...(options.log ?? [])];
    this.#nextXact = options.nextXact;
  }

  get rows(): ReadonlyMap<string, TableRow> {
    return this.#rows;
  }

  /** The rows that a query sees. */
  seen(): TableRow[] {
    const rows = [...this.#rows.values()];
    return this.holds ? rows.map((row) => this.#held.get(row.server_name) ?? row) : rows;
  }

  /** Hides the change of a row and locks it until it is released: its commit waits for a standby. */
  hold(before: TableRow): void {
    this.#held.set(before.server_name, before);
  }

  release({ server_name }: TableRow): void {
    this.#held.delete(server_name);
  }

  /** Whether any row is held. */
  get holds(): boolean {
    return this.#held.size > 0;
  }

  isHeld(name: string): boolean {
    return this.#held.has(name);
  }

  get commits(): number {
    return this.#log.length;
  }

  /** 32 bits that no other server has drawn, in hexadecimal digits. */
  drawDigits(): string {
    const { drawn = { count: 0 } } = this.options;
    drawn.count += 1;
    return drawn.count.toString(16).padStart(8, '0');
  }

  /** Assigns a transaction id. */
  drawXact(): number {
    return this.#nextXact++;
  }

  /** Writes the row in the transaction `xact`, with the effects of the triggers and checks of the table. */
  write(before: TableRow, changed: TableRow, xact: number): TableRow {
    const after = this.#written(before, changed, xact);
    this.#log.push({ before: [before], nextXact: xact });
    this.#rows.set(before.server_name, after);
    return after;
  }

  /** Writes several rows in one commit, and removes those; draws its transaction only if there are any. */
  writeTogether(
    changes: readonly { readonly before: TableRow | undefined; readonly changed: TableRow }[],
    xactId: () => number,
    removed: readonly string[] = [],
  ): WrittenRow[] {
    if (changes.length + removed.length === 0) return [];
    const xact = xactId();
    const written = changes.map(({ before, changed }): WrittenRow => {
      const after =
        before === undefined ? { ...changed, xmin: xminOf(xact) } : this.#written(before, changed, xact);
      return { before, after };
    });
    const kept = removed.flatMap((name) => this.#rows.get(name) ?? []);
    const born: string[] = [];
    for (const name of removed) this.#rows.delete(name);
    for (const { before, after } of written) {
      if (before === undefined) born.push(after.server_name);
      else kept.push(before);
      this.#rows.set(after.server_name, after);
    }
    this.#log.push({ before: kept, born, nextXact: xact });
    return written;
  }

  #written(before: TableRow, changed: TableRow, xact: number): TableRow {
    let { last_xact } = changed;
    // The trigger lets a null pass.
    if (changed.max_id === null) throw new SqlStateError('23502', 'null value in column "max_id"');
    if (this.options.triggers) {
      if (changed.max_id < before.max_id) throw new SqlStateError('23001', 'UPDATE on id_segment rejected');
      const asItWasLeft = last_xact !== null && xminOf(last_xact) === before.xmin;
      if (last_xact === before.last_xact && asItWasLeft) last_xact = xact;
    }
    if (changed.max_id > LAST_ID) throw new SqlStateError('23514', 'max_id violates its check constraint');
    return { ...changed, last_xact, xmin: xminOf(xact) };
  }

  /** The server before its last `commits` commits, like a lagging standby or an old copy of its disk. */
  before(commits: number, changes: Partial<ServerIdentity & { readonly lane: number }> = {}): TableServer {
    const kept = this.#log.slice(0, this.#log.length - commits);
    const undone = this.#log.slice(kept.length);
    const rows = new Map(this.#rows);
    for (const { before, born = [] } of undone.toReversed()) {
      for (const row of before) rows.set(row.server_name, row);
      for (const name of born) rows.delete(name);
    }
    const nextXact = undone[0]?.nextXact ?? this.#nextXact;
    return new TableServer({ ...this.options, ...changes, rows, nextXact, log: kept });
  }

  /** The server with this row as it is here: what a restore of other rows left alone. */
  withRow(row: TableRow): TableServer {
    const rows = new Map([...this.#rows, [row.server_name, row]]);
    return new TableServer({ ...this.options, rows, nextXact: this.#nextXact, log: this.#log });
  }

  /** The server with the rows of a dump, written by the transaction of the restore. */
  withDump(dump: ReadonlyMap<string, TableRow>, changes: Partial<TableServerOptions> = {}): TableServer {
    const { nextXact = this.#nextXact } = changes;
    const rows = new Map([...dump].map(([name, row]) => [name, { ...row, xmin: xminOf(nextXact) }]));
    // A standby of a new server has nothing older than the restore.
    const log =
      changes.systemId === undefined ? [...this.#log, { before: [...this.#rows.values()], nextXact }] : [];
    return new TableServer({ ...this.options, ...changes, rows, nextXact: nextXact + 1, log });
  }
}
