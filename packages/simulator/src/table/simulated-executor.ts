import type { ReserveOptions } from '@ids/segment';
import type { SqlExecutor, SqlResult } from '@ids/store';
import type { Random } from '../random.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { isAboutKeys, KeyTransaction } from './key-transaction.js';
import type { SyncStandby } from './sync-standby.js';
import { SqlStateError, type TableRow, type TableServer, type WrittenRow } from './table-server.js';
import { Transaction } from './transaction.js';

/** What a statement is about to reserve of a row. */
export interface Reserving {
  readonly size: number;
  /** The greatest id that the caller knows. */
  readonly floor?: number;
  /** The row that holds for a key without one. */
  readonly family?: string;
}

/** A reservation, at the moment of its commit. */
export interface Commit {
  readonly who: string;
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** The value of the sequence that it expected; undefined if it accepts any. */
  readonly expectedMaxId: number | undefined;
  /** Whether somebody is still waiting for the answer. */
  readonly awaited: boolean;
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
  /** How far the clocks of the servers are ahead of the run, in milliseconds. */
  readonly aheadMs: number;
  /** The probability that a reply is lost. */
  readonly loseReplies: number;
  /** The server that answers a process now; another one after a promotion or a restore. */
  serverFor(owner: Owner): TableServer;
  /** Call it before a statement runs that reserves up to `size` ids. */
  reserving(server: TableServer, name: string, reserving: Reserving): void;
  /** Until when somebody has locked a row. */
  lockedUntilOf(name: string): number;
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

/** Whether a statement reserves ids of a sequence. */
export function reserves(text: string): boolean {
  return text.includes(RESERVES);
}

/** Only one that raises the row skips ids, and has a floor as its third parameter. */
const RAISES = '$7::bigint';

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
        const arrivedMs = scheduler.now + table.aheadMs;
        let transaction: Transaction | KeyTransaction | undefined;
        let giveUpAt: number | undefined;
        const attempt = () => {
          if (cancelled) return;
          if (reserves(text)) {
            const floor = text.includes(RAISES) ? Number(values[2] ?? 0) : 0;
            table.reserving(server, String(values[0]), { size: Number(values[1]), floor });
          }
          if (!table.answers(server)) fail(new SqlStateError('57P01', 'the server is gone'));
          else if (scheduler.now < table.downUntil)
            fail(new SqlStateError('ECONNREFUSED', 'nothing answers'));
          else if (scheduler.now < table.stalledUntil) this.#later(table.stalledUntil, attempt);
          else {
            try {
              transaction ??= this.#begin(server, text, values, arrivedMs);
              const lockedUntil = this.#lockedUntil(transaction);
              if (scheduler.now < lockedUntil) {
                giveUpAt ??= scheduler.now + transaction.lockTimeoutMs;
                if (scheduler.now >= giveUpAt) throw new SqlStateError('55P03', 'lock timeout');
                this.#later(Math.min(lockedUntil, giveUpAt), attempt);
                return;
              }
              if (transaction instanceof KeyTransaction) {
                for (const { name, ...wanted } of transaction.wanted) {
                  table.reserving(server, name, { ...wanted, family: String(values[0]) });
                }
                if (!table.answers(server)) throw new SqlStateError('57P01', 'the server is gone');
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

  #begin(
    server: TableServer,
    text: string,
    values: readonly unknown[],
    arrivedMs: number,
  ): Transaction | KeyTransaction {
    const { scheduler, table } = this.#options;
    const nowMs = () => scheduler.now + table.aheadMs;
    if (!isAboutKeys(text)) return new Transaction(server, text, values, arrivedMs, nowMs);
    const isLocked = (name: string) => table.lockedUntilOf(name) > scheduler.now;
    return new KeyTransaction(server, text, values, { arrivedMs, nowMs }, isLocked);
  }

  /** Until when somebody has locked a row that it waits for. */
  #lockedUntil(transaction: Transaction | KeyTransaction): number {
    const { table } = this.#options;
    if (transaction instanceof KeyTransaction) {
      return Math.max(0, ...transaction.waitsFor.map((name) => table.lockedUntilOf(name)));
    }
    return table.lockedUntil > 0 && transaction.locks ? table.lockedUntil : 0;
  }

  /**
   * Calls `done` with the result, at once or when the standby has the commit; with undefined if the server
   * was replaced meanwhile.
   */
  #run(
    transaction: Transaction | KeyTransaction,
    statement: SentStatement,
    done: (result: SqlResult | undefined) => void,
  ): void {
    const { table } = this.#options;
    const { server } = statement;
    const standby = table.standbyOf(server);
    const { rows, written } = transaction.run();
    const { notices } = transaction;
    if (transaction instanceof KeyTransaction) this.#judgeKeys(transaction, written);
    for (const change of written) {
      this.#note(change, statement, sizeOf(transaction, statement, change.after.server_name));
    }
    const raise = () => {
      for (const { after } of written) table.raised(after);
    };
    if (standby === undefined || written.length === 0 || !transaction.waitsForStandby) {
      if (written.length > 0) standby?.send(server.commits);
      raise();
      done({ rows, notices });
      return;
    }
    const held = written.flatMap(({ before }) => before ?? []);
    for (const before of held) server.hold(before);
    standby.send(server.commits, (end) => {
      for (const before of held) server.release(before);
      if (end === 'confirmed') raise();
      if (end === 'cancelled' && transaction instanceof Transaction) transaction.waitCancelled();
      done(end === 'gone' ? undefined : { rows, notices });
    });
  }

  /** Ids must not be reserved when their caller does not wait any more, nor at or below its floor. */
  #judgeKeys({ late, wanted }: KeyTransaction, written: readonly WrittenRow[]): void {
    const { broken } = this.#options.table;
    const who = this.#options.owner.name;
    if (late > 0 && written.length > 0) {
      broken.push(`${who}: reserved ids of ${written.length} keys ${late.toFixed(1)} ms too late`);
    }
    for (const { after } of written) {
      const { size, floor } = wanted.find(({ name }) => name === after.server_name) ?? { size: 0, floor: 0 };
      if (after.max_id - size >= floor) continue;
      broken.push(`${who}: ids of ${after.server_name} up to ${after.max_id}, not above the floor ${floor}`);
    }
  }

  /** `size`: how many ids it reserves; undefined if it reserves none. */
  #note({ before, after }: WrittenRow, { signal, sentMs }: SentStatement, size: number | undefined): void {
    const { table, trace, owner } = this.#options;
    const { server_name: name, max_id: high, noticed } = after;
    if (size === undefined) {
      trace.add(owner.name, `table ${name} raised from ${before?.max_id ?? 'nothing'} to ${high}`);
      return;
    }
    const low = high - size + 1;
    const afterwards = noticed === null ? '' : ` after a ${noticed}`;
    trace.add(owner.name, `table ${name} reserves ${low}..${high}${afterwards}`);
    if (before !== undefined && low <= before.max_id) {
      const what = `${owner.name}: reserved ${low}..${high} of ${name}`;
      table.broken.push(`${what}, where ids up to ${before.max_id} were reserved before`);
    }
    const { expectedMaxId } = (signal && table.requests.get(signal)) ?? {};
    const awaited = signal?.aborted !== true;
    table.onCommit({ who: owner.name, name, low, high, expectedMaxId, awaited, sentMs });
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

/** How many ids a statement reserves of the row `name`; undefined if it reserves none. */
function sizeOf(
  transaction: Transaction | KeyTransaction,
  { text, values }: SentStatement,
  name: string,
): number | undefined {
  if (transaction instanceof KeyTransaction) {
    return transaction.wanted.find((one) => one.name === name)?.size;
  }
  return reserves(text) ? Number(values[1]) : undefined;
}
