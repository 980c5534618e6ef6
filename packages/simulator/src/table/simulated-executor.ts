import type { ReserveOptions } from '@ids/segment';
import type { SqlExecutor, SqlResult } from '@ids/segment/sql';
import type { Random } from '../random.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import type { SyncStandby } from './sync-standby.js';
import { SqlStateError, type TableRow, type TableServer } from './table-server.js';

import { Transaction } from './transaction.js';

/** A reservation, at the moment of its commit. */
export interface Commit {
  readonly who: string;
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** The value of the sequence that it expected; undefined if it accepts any. */
  readonly expectedMaxId: number | undefined;
  /** Whether somebody is still waiting for the answer. */
  readonly heard: boolean;
  /** When its statement was sent, in milliseconds of the run. */
  readonly sentMs: number;
}

/** The table as its clients see it: what may go wrong on the connections, and what is reported. */
interface ReachableTable {
  /** The time in transit of a statement or a reply, in milliseconds: from, to. */
  readonly latency: readonly [number, number];
  /** Until these times nothing is executed, no row is unlocked, or no server is reachable. */
  readonly stalledUntil: number;
  readonly lockedUntil: number;
  readonly downUntil: number;
  /** The probability that a reply is lost. */
  readonly loseReplies: number;
  /** The server that answers a process now; another one after a promotion or a restore. */
  serverFor(owner: Owner): TableServer;
  /** Call it before a statement runs that reserves up to `size` ids. */
  reserving(server: TableServer, name: string, size: number): void;
  /** Whether this server still answers. */
  answers(server: TableServer): boolean;
  /** Undefined if commits on this server wait for no standby. */
  standbyOf(server: TableServer): SyncStandby | undefined;
  /** The options of pending reservations, by their signals. */
  readonly requests: WeakMap<AbortSignal, ReserveOptions>;
  /** Violations by a statement. */
  readonly broken: string[];
  raised(row: TableRow): void;
  onCommit(commit: Commit): void;
}

export interface SimulatedExecutorOptions {
  readonly table: ReachableTable;
  readonly owner: Owner;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly trace: Trace;
}

interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly signal: AbortSignal | undefined;
  readonly sentMs: number;
  readonly server: TableServer;
}

/** Only a reservation returns what is left of a group. */
const RESERVES = 'left_ms';

/** How often a statement checks whether a row that it waits for is unlocked, in milliseconds. */
const LOOK_MS = 5;

/** The connections of one process to the table: delivers a statement, executes it and delivers the result. */
export class SimulatedExecutor implements SqlExecutor {
  readonly #options: SimulatedExecutorOptions;

  constructor(options: SimulatedExecutorOptions) {
    this.#options = options;
  }

  execute(text: string, values: readonly unknown[], signal?: AbortSignal): Promise<SqlResult> {
    const { scheduler, random, owner, table } = this.#options;
    const sentMs = scheduler.now;
    return new Promise((resolve, reject) => {
      let cancelled = false;
      const abort = () => {
        // The cancellation may come too late for the statement, but never for the caller.
        cancelled = random.chance(0.5);
        reject(signal?.reason);
      };
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      signal?.addEventListener('abort', abort, { once: true });
      const settle = (run: () => void) => {
        scheduler.schedule(scheduler.now + this.#draw(), owner, () => {
          signal?.removeEventListener('abort', abort);
          run();
        });
      };
      const fail = (error: unknown) => settle(() => reject(error));
      scheduler.schedule(scheduler.now + this.#draw(), scheduler.world, () => {
        const server = table.serverFor(owner);
        const arrivedMs = scheduler.now;
        let transaction: Transaction | undefined;
        let giveUpAt: number | undefined;
        const attempt = () => {
          if (cancelled) return;
          if (text.includes(RESERVES)) table.reserving(server, String(values[0]), Number(values[1]));
          if (!table.answers(server)) fail(new SqlStateError('57P01', 'the server is gone'));
          else if (scheduler.now < table.downUntil)
            fail(new SqlStateError('ECONNREFUSED', 'nothing answers'));
          else if (scheduler.now < table.stalledUntil) this.#later(table.stalledUntil, attempt);
          else {
            try {
              transaction ??= new Transaction(server, text, values, arrivedMs, () => scheduler.now);
              if (scheduler.now < table.lockedUntil && transaction.locks) {
                giveUpAt ??= scheduler.now + transaction.lockTimeoutMs;
                if (scheduler.now >= giveUpAt) throw new SqlStateError('55P03', 'lock timeout');
                this.#later(Math.min(table.lockedUntil, giveUpAt), attempt);
                return;
              }
              if (transaction.meetsHeldRow) {
                giveUpAt ??= scheduler.now + transaction.lockTimeoutMs;
                if (scheduler.now >= giveUpAt) throw new SqlStateError('55P03', 'lock timeout');
                this.#later(Math.min(scheduler.now + LOOK_MS, giveUpAt), attempt);
                return;
              }
              this.#run(transaction, { text, values, signal, sentMs, server }, (result) => {
                if (result === undefined) fail(new SqlStateError('57P01', 'the server is gone'));
                else if (random.chance(table.loseReplies)) {
                  fail(new SqlStateError('ECONNRESET', 'the connection broke after the commit'));
                } else settle(() => resolve(result));
              });
            } catch (error) {
              // Any other error is a bug in the simulation and must not look like an error of the database.
              if (!(error instanceof SqlStateError)) throw error;
              fail(error);
            }
          }
        };
        attempt();
      });
    });
  }

  async close(): Promise<void> {}

  /**
   * Calls `done` with the result, at once or when the standby has the commit; with undefined if the server
   * was replaced meanwhile.
   */
  #run(
    transaction: Transaction,
    statement: SentStatement,
    done: (result: SqlResult | undefined) => void,
  ): void {
    const { table } = this.#options;
    const { server } = statement;
    const standby = table.standbyOf(server);
    const { rows, written } = transaction.run();
    const { notices } = transaction;
    for (const change of written) this.#note(change, statement);
    const raise = () => {
      for (const [, after] of written) table.raised(after);
    };
    if (standby === undefined || written.length === 0 || !transaction.waitsForStandby) {
      if (written.length > 0) standby?.send(server.commits);
      raise();
      done({ rows, notices });
      return;
    }
    for (const [before] of written) server.hold(before);
    standby.send(server.commits, (end) => {
      for (const [before] of written) server.release(before);
      if (end === 'confirmed') raise();
      if (end === 'cancelled') transaction.waitCancelled();
      done(end === 'gone' ? undefined : { rows, notices });
    });
  }

  #note(
    [before, after]: readonly [TableRow, TableRow],
    { text, values, signal, sentMs }: SentStatement,
  ): void {
    const { table, trace, owner } = this.#options;
    const { server_name: name, max_id: high, noticed } = after;
    if (!text.includes(RESERVES)) {
      trace.add(owner.name, `table ${name} raised from ${before.max_id} to ${high}`);
      return;
    }
    const low = high - Number(values[1]) + 1;
    const afterwards = noticed === null ? '' : ` after a ${noticed}`;
    trace.add(owner.name, `table ${name} reserves ${low}..${high}${afterwards}`);
    if (low <= before.max_id) {
      const what = `${owner.name}: reserved ${low}..${high} of ${name}`;
      table.broken.push(`${what}, where ids up to ${before.max_id} were reserved before`);
    }
    const { expectedMaxId } = (signal && table.requests.get(signal)) ?? {};
    const heard = signal?.aborted !== true;
    table.onCommit({ who: owner.name, name, low, high, expectedMaxId, heard, sentMs });
  }

  #later(atMs: number, run: () => void): void {
    const { scheduler } = this.#options;
    scheduler.schedule(atMs, scheduler.world, run);
  }

  #draw(): number {
    const { table, random } = this.#options;
    const [from, to] = table.latency;
    return from + random.next() * (to - from);
  }
}
