import { openPostgresPool, type PostgresReplication, startPostgresReplication } from '@ids/local-services';
import { injectFault } from '@ids/local-services/fault-test';
import { createSequence, ensureSchema, SqlSegmentSource } from '@ids/segment/sql';
import { fromPg } from '@ids/store/postgres';
import type pg from 'pg';
import { expect } from 'vitest';
import { Random } from '../../src/random.js';
import { SegmentTable, type WrapTable } from '../../src/table/segment-table.js';
import { installPlatform } from '../../src/time/platform.js';
import { Scheduler } from '../../src/time/scheduler.js';
import { Trace } from '../../src/trace.js';

export const NAME = 'order';

/** As careless as a role can be set. */
const SETTINGS = { client_min_messages: 'error', synchronous_commit: 'off' } as const;
const AFTER = { afterFailover: 0, afterRestore: 0 } as const;

type Call<T> = (source: SqlSegmentSource) => Promise<T>;

/** A call under way; `outcome` is its value or what it was rejected with. */
export interface Started {
  readonly outcome: Promise<unknown>;
}

/** A primary of the table that waits for a standby, and a source for whoever is asked now. */
export interface StandbyPair extends AsyncDisposable {
  run<T>(call: Call<T>): Promise<T>;
  /** Sends a call, and goes on once it waits for the standby or has ended. */
  start(call: Call<unknown>): Promise<Started>;
  /** Nothing reaches the standby any more; it has what was committed before, also without a wait for it. */
  cut(): Promise<void>;
  /** Cancels all waits for the standby until the call has ended, and gives what it came to. */
  cancelUntilEnded(call: Started): Promise<unknown>;
  /** Ends the primary, and promotes the standby, which is asked from then on. */
  promote(): Promise<void>;
}

const asIs: WrapTable = (executor) => executor;

function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch(({ code, message }: Error & { code?: string }) => ({ code, message }));
}

export class RealPair implements StandbyPair {
  readonly #replication: PostgresReplication;
  readonly #wrap: WrapTable;
  readonly #admin: pg.Pool;
  #pool: pg.Pool;

  private constructor(replication: PostgresReplication, wrap: WrapTable, admin: pg.Pool) {
    this.#replication = replication;
    this.#wrap = wrap;
    this.#admin = admin;
    this.#pool = poolOf(replication.primary.url, 'quiet');
  }

  static async open(wrap = asIs): Promise<RealPair> {
    const replication = await startPostgresReplication({ synchronous: true });
    const admin = poolOf(replication.primary.url);
    await ensureSchema(fromPg(admin));
    await createSequence(fromPg(admin), NAME);
    await admin.query(`CREATE ROLE quiet SUPERUSER LOGIN PASSWORD 'secret'`);
    for (const [name, value] of Object.entries(SETTINGS))
      await admin.query(`ALTER ROLE quiet SET ${name} = '${value}'`);
    await replication.caughtUp();
    return new RealPair(replication, wrap, admin);
  }

  run<T>(call: Call<T>): Promise<T> {
    return call(new SqlSegmentSource(this.#wrap(fromPg(this.#pool)), AFTER));
  }

  async start(call: Call<unknown>): Promise<Started> {
    let ended = false;
    const outcome = outcomeOf(this.run(call)).finally(() => {
      ended = true;
    });
    while (!ended && (await this.#waiting('pid')) === 0);
    return { outcome };
  }

  async cut(): Promise<void> {
    // Waits until the standby has all that was written before.
    await this.#admin.query('CREATE TABLE last_one_there ()');
    await injectFault(() => this.#replication.link.setMode('blackhole'));
  }

  async cancelUntilEnded({ outcome }: Started): Promise<unknown> {
    let ended = false;
    const ending = outcome.finally(() => {
      ended = true;
    });
    await injectFault(async () => {
      while (!ended) await this.#waiting('pg_cancel_backend(pid)');
    });
    return ending;
  }

  async promote(): Promise<void> {
    await injectFault(async () => {
      await this.#replication.primary.stop('immediate');
      await this.#replication.promote();
    });
    await this.#pool.end();
    this.#pool = poolOf(this.#replication.standby.url, 'quiet');
    const { rows } = await this.#pool.query('SELECT pg_is_in_recovery() AS "isStandby"');
    expect(rows).toEqual([{ isStandby: false }]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#pool.end(), this.#admin.end()]);
    await this.#replication.close();
  }

  /** Asks `what` of each statement that waits for the standby. Returns how many there are. */
  async #waiting(what: string): Promise<number> {
    const { rowCount } = await this.#admin.query(
      `SELECT ${what} FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
    );
    return rowCount ?? 0;
  }
}

function poolOf(url: string, user?: string): pg.Pool {
  const parsed = new URL(url);
  if (user !== undefined) [parsed.username, parsed.password] = [user, 'secret'];
  const pool = openPostgresPool(parsed.href, { max: 4 });
  return pool;
}

export class SimulatedPair implements StandbyPair {
  readonly #scheduler = new Scheduler();
  readonly #table: SegmentTable;

  private constructor(wrap: WrapTable) {
    this.#table = new SegmentTable({
      scheduler: this.#scheduler,
      seed: 1,
      random: new Random(1),
      trace: new Trace(() => this.#scheduler.now, { keep: false }),
      sequences: [NAME],
      startAfter: 0,
      plan: {
        guard: 'full',
        triggers: true,
        firstXact: 1_000,
        oldRows: false,
        after: AFTER,
        repairMs: 1,
        synchronous: SETTINGS,
      },
      wrap,
    });
  }

  static async open(wrap = asIs): Promise<SimulatedPair> {
    return new SimulatedPair(wrap);
  }

  async run<T>(call: Call<T>): Promise<T> {
    const running = this.#call(call);
    await this.#play(() => running.ended);
    return running.promise;
  }

  async start(call: Call<unknown>): Promise<Started> {
    const { promise } = this.#call(call);
    const outcome = outcomeOf(promise);
    await this.#play(() => false, 50);
    return { outcome };
  }

  async cut(): Promise<void> {
    await this.#play(() => false, 50);
    this.#table.standby?.cut(Number.POSITIVE_INFINITY);
  }

  async cancelUntilEnded({ outcome }: Started): Promise<unknown> {
    this.#table.standby?.cancelWaits();
    await this.#play(() => false, 50);
    return outcome;
  }

  async promote(): Promise<void> {
    const { server, standby } = this.#table;
    const lacks = standby?.lacks(server.commits) ?? 0;
    this.#table.replace(server.before(lacks, { timeline: server.options.timeline + 1 }));
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #call<T>(call: Call<T>): { readonly promise: Promise<T>; readonly ended: boolean } {
    const state = {
      promise: call(new SqlSegmentSource(this.#table.executorFor(this.#scheduler.world), AFTER)),
      ended: false,
    };
    const end = () => {
      state.ended = true;
    };
    state.promise.then(end, end);
    return state;
  }

  /** Lets virtual time pass. */
  async #play(ended: () => boolean, ms = 10_000): Promise<void> {
    const uninstall = installPlatform(this.#scheduler, new Random(1));
    try {
      await this.#scheduler.run(this.#scheduler.now + ms, ended);
    } finally {
      uninstall();
    }
  }
}
