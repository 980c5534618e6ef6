import type { SqlResult } from '@ids/store';
import { guardTriggers, PACE_COLUMNS } from '@ids/store/postgres';
import type { Scope, Session, Value } from '../sql/scope.js';
import { type Statement, statementOf } from '../sql/statement.js';
import {
  SqlStateError,
  type TableRow,
  type TableServer,
  timelineName,
  type WrittenRow,
} from './table-server.js';

type Result = SqlResult['rows'];

const BIGINTS = new Set([
  ...['max_id', 'was', 'system_id', 'last_xact', 'stands_at', 'xmin', 'seconds_lost', 'reigns_lost'],
]);

const GUARDS = [...guardTriggers('id_segment'), ...guardTriggers('id_key')];

/** The warning of Postgres, with its detail and the function that raises it. */
const NOT_CONFIRMED =
  'canceling wait for synchronous replication due to user request The transaction has already committed locally, but might not have been replicated to the standby. SyncRepWaitForLSN';

/** One statement, which is a transaction by itself. */
export class Transaction {
  /** The notices that the client receives with the result. */
  readonly notices: string[] = [];
  /** When the statement arrived, in milliseconds of the run. */
  readonly arrivedMs: number;
  readonly #server: TableServer;
  readonly #statement: Statement;
  readonly #values: readonly unknown[];
  readonly #session: Session;
  /** The values of the CTEs, which are evaluated once, before the statement waits for any lock. */
  readonly #ctes = new Map<string, Value>();
  /**
   * Begins the transaction. Throws errors of Postgres with their SQLSTATE, and a `SyntaxError` for what is
   * not simulated.
   */
  constructor(
    server: TableServer,
    text: string,
    values: readonly unknown[],
    arrivedMs: number,
    nowMs: () => number,
  ) {
    this.#server = server;
    this.arrivedMs = arrivedMs;
    const statement = statementOf(text);
    this.#statement = statement;
    this.#values = values;
    this.#session = openSession(server, { arrivedMs, nowMs }, this.notices);
    if (statement.kind === 'facts' || statement.kind === 'values') return;
    for (const { name, value } of statement.ctes) this.#ctes.set(name, value(this.#scope(undefined)));
  }

  /** How long it waits for the lock on a row, in milliseconds. */
  get lockTimeoutMs(): number {
    return Number(this.#ctes.get('time_limit') ?? 0) || Number.POSITIVE_INFINITY;
  }

  /** Whether it would currently change a row, and so waits for its lock. */
  get locks(): boolean {
    return this.#found().length > 0;
  }

  /** Whether it would change a row that is locked by a commit that waits for a standby. */
  get meetsHeldRow(): boolean {
    return this.#server.holds && this.#found().some(({ server_name }) => this.#server.isHeld(server_name));
  }

  /** Whether its commit waits for a synchronous standby, if there is one. */
  get waitsForStandby(): boolean {
    return this.#session.settings.get('synchronous_commit') !== 'off';
  }

  /** Call it when somebody cancelled the wait for the standby. */
  waitCancelled(): void {
    this.#session.warn(NOT_CONFIRMED);
  }

  /** Runs and commits it. Returns its result, and each row that it wrote, before and after. */
  run(): {
    readonly rows: Result;
    readonly written: readonly WrittenRow[];
  } {
    const statement = this.#statement;
    if (statement.kind === 'facts') return { rows: this.#facts(statement.columns), written: [] };
    if (statement.kind === 'values') return { rows: [this.#result(statement.targets, NULLS)], written: [] };
    if (statement.kind === 'select') {
      const { on, targets } = statement;
      const row = this.#server.seen().find((one) => on(this.#scope(one)) === true);
      return { rows: [this.#result(targets, row ?? NULLS)], written: [] };
    }
    const { set, returning } = statement;
    const written = this.#found().map((before) => {
      const scope = this.#scope(before);
      const changes = Object.fromEntries(set.map(({ name, value }) => [name, value(scope)]));
      const after = this.#server.write(before, { ...before, ...changes }, this.#session.xactId());
      return { before, after };
    });
    return { rows: written.map(({ before, after }) => this.#result(returning, after, before)), written };
  }

  #found(): TableRow[] {
    const statement = this.#statement;
    if (statement.kind !== 'update') return [];
    return this.#server.seen().filter((row) => statement.where(this.#scope(row)) === true);
  }

  /** `before` is the row as the statement's snapshot has it, for a subquery of the table. */
  #scope(row: object | undefined, before: TableRow | undefined = undefined): Scope {
    const columns = row as Readonly<Record<string, Value>> | undefined;
    return {
      values: this.#values,
      session: this.#session,
      before: (name) => (before as Readonly<Record<string, Value>> | undefined)?.[name] ?? null,
      column: (name) => {
        const value = columns?.[name] ?? this.#ctes.get(name);
        if (value !== undefined) return value;
        if (columns !== undefined && name in columns) return columns[name] ?? null;
        throw new SqlStateError('42703', `column "${name}" does not exist`);
      },
    };
  }

  #result(
    targets: readonly { readonly name: string; readonly value: (scope: Scope) => Value }[],
    row: object,
    before?: TableRow,
  ): Result[number] {
    const scope = this.#scope(row, before);
    return Object.fromEntries(
      targets
        .map(({ name, value }) => [name, asDriver(name, value(scope))] as const)
        .filter(([name]) => name !== ''),
    );
  }

  /** The answers of the catalogue: a healthy server, except for the rights of the role. */
  #facts(columns: readonly string[]): Result {
    const { guard, triggers } = this.#server.options;
    const name = String(this.#values[0]);
    const row = this.#server.seen().find(({ server_name }) => server_name === name);
    const answers: Readonly<Record<string, unknown>> = {
      ...(row ?? NULLS),
      stands_at: row?.max_id ?? null,
      group_limit: null,
      relpersistence: 'p',
      in_recovery: false,
      fsync: 'on',
      standbys: this.#server.options.synchronous ? 'standby' : '',
      log_persistence: null,
      found_in: null,
      log_found_in: null,
      read_only: 'off',
      guards: triggers ? [...GUARDS, 'id_segment_reign'] : null,
      always: triggers ? GUARDS : null,
      schemas: ['public'],
      reign_columns: true,
      reign_usable: guard !== 'off',
      pace_columns: Object.keys(PACE_COLUMNS).length,
      together: true,
      active: false,
    };
    const given = columns.map((name) => {
      if (!(name in answers)) throw new SyntaxError(`the simulated catalogue does not know ${name}`);
      return [name, asDriver(name, answers[name])] as const;
    });
    return [Object.fromEntries(given)];
  }
}

/** What a transaction that begins on `server` can ask of it. `notices` receives the warnings. */
export function openSession(
  server: TableServer,
  { arrivedMs, nowMs }: { readonly arrivedMs: number; readonly nowMs: () => number },
  notices: string[],
): Session {
  const { guard, systemId, timeline } = server.options;
  const assertTold = () => {
    if (guard !== 'full') throw new SqlStateError('42501', 'permission denied for function');
  };
  let xact: number | undefined;
  const { settings: ofRole = {}, lane = 0 } = server.options;
  const settings = new Map<string, string>(Object.entries({ ...ofRole, 'ids.lane': String(lane) }));
  return {
    arrivedMs,
    nowMs,
    xactId: () => (xact ??= server.drawXact()),
    systemId: () => {
      assertTold();
      return systemId;
    },
    timeline: () => {
      assertTold();
      return timelineName(timeline);
    },
    randomDigits: () => server.drawDigits(),
    settings,
    warn: (text) => {
      if (settings.get('client_min_messages') !== 'error') notices.push(text);
    },
  };
}

const NULLS = {
  server_name: null,
  max_id: null,
  realm: null,
  group_by: null,
  time_zone: null,
  system_id: null,
  timeline: null,
  last_xact: null,
  noticed: null,
  database_id: null,
  reigns: null,
  minute_began: null,
  minute_ids: null,
  peak_rate: null,
  seconds_lost: null,
  reigns_lost: null,
  xmin: null,
};

/** `pg` gives a BIGINT as a string. */
export function asDriver(name: string, value: unknown): unknown {
  return BIGINTS.has(name) && value !== null ? String(value) : value;
}
