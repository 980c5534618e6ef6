import { SqlStateError } from './sql-state-error.js';
import { type ReignGuard, type ServerIdentity, type TableRow, xminOf } from './table-row.js';

export interface TableServerOptions extends ServerIdentity {
  readonly rows: ReadonlyMap<string, TableRow>;
  /** The id that the next transaction gets. */
  readonly nextXact: number;
  /** Whether the table has the triggers that the schema makes. */
  readonly triggers: boolean;
  readonly guard: ReignGuard;
  /** Whether commits wait for a standby. */
  readonly synchronous?: boolean;
  /** What the role, the database or a pooler has set. */
  readonly settings?: RoleSettings;
  /** What was committed before, the oldest first. */
  readonly log?: readonly Commit[];
}

/** Settings that a reservation must not rest on. */
export interface RoleSettings {
  readonly client_min_messages: 'notice' | 'error';
  readonly synchronous_commit: 'on' | 'off';
}

/** The rows as they were before a commit that changed them. */
interface Commit {
  readonly before: readonly TableRow[];
  readonly nextXact: number;
}

const LAST_ID = Number.MAX_SAFE_INTEGER;

/**
 * A Postgres server with the segment table, which runs the statements of `@ids/segment`. A promotion or a
 * restore makes another one.
 */
export class TableServer {
  readonly options: TableServerOptions;
  readonly #rows: Map<string, TableRow>;
  readonly #log: Commit[];
  /** Rows whose last commit waits for a standby, as others see them. */
  readonly #held = new Map<string, TableRow>();
  #nextXact: number;

  constructor(options: TableServerOptions) {
    this.options = options;
    this.#rows = new Map(options.rows);
    this.#log = [...(options.log ?? [])];
    this.#nextXact = options.nextXact;
  }

  get rows(): ReadonlyMap<string, TableRow> {
    return this.#rows;
  }

  /** The rows as whoever asks sees them. */
  seen(): TableRow[] {
    const rows = [...this.#rows.values()];
    return this.holds ? rows.map((row) => this.#held.get(row.server_name) ?? row) : rows;
  }

  /**
   * Nobody sees or changes the row until it is released, since the commit that changed
   * it waits for a standby.
   */
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

  /** Uses up an id for a transaction. */
  drawXact(): number {
    return this.#nextXact++;
  }

  /** Writes the row in the transaction `xact`, with what the table's triggers and checks do. */
  write(before: TableRow, changed: TableRow, xact: number): TableRow {
    let { last_xact } = changed;
    if (this.options.triggers) {
      if (changed.max_id < before.max_id) throw new SqlStateError('23001', 'UPDATE of id_segment refused');
      const asItWasLeft = last_xact !== null && xminOf(last_xact) === before.xmin;
      if (last_xact === before.last_xact && asItWasLeft) last_xact = xact;
    }
    if (changed.max_id > LAST_ID) throw new SqlStateError('23514', 'max_id violates its check constraint');
    this.#log.push({ before: [before], nextXact: xact });
    const after = { ...changed, last_xact, xmin: xminOf(xact) };
    this.#rows.set(before.server_name, after);
    return after;
  }

  /** The server as it was before its last `commits` commits, as a standby or a copy of its disk has it. */
  before(commits: number, changes: Partial<ServerIdentity> = {}): TableServer {
    const kept = this.#log.slice(0, this.#log.length - commits);
    const undone = this.#log.slice(kept.length);
    const rows = new Map(this.#rows);
    for (const { before } of undone.toReversed()) {
      for (const row of before) rows.set(row.server_name, row);
    }
    const nextXact = undone[0]?.nextXact ?? this.#nextXact;
    return new TableServer({ ...this.options, ...changes, rows, nextXact, log: kept });
  }

  /** The server with the rows of a dump, which a transaction of the restore wrote. */
  withDump(dump: ReadonlyMap<string, TableRow>, changes: Partial<TableServerOptions> = {}): TableServer {
    const { nextXact = this.#nextXact } = changes;
    const rows = new Map([...dump].map(([name, row]) => [name, { ...row, xmin: xminOf(nextXact) }]));
    // A standby of a new server has nothing from before the restore.
    const log =
      changes.systemId === undefined ? [...this.#log, { before: [...this.#rows.values()], nextXact }] : [];
    return new TableServer({ ...this.options, ...changes, rows, nextXact: nextXact + 1, log });
  }
}
