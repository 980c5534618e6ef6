import pg from 'pg';
import { type FaultProxy, startFaultProxy } from './fault-proxy.js';
import { pollUntil } from './poll-until.js';
import {
  type LocalPostgres,
  type PostgresOptions,
  type PostgresServer,
  startPostgres,
} from './postgres-server.js';

export interface PostgresReplicationOptions extends PostgresOptions {
  /** Whether commits of the primary wait for the standby; `false` by default. */
  readonly synchronous?: boolean;
}

/** A primary and a standby that streams from it, owned by whoever started them. */
export interface PostgresReplication extends AsyncDisposable {
  readonly primary: PostgresServer;
  /** The standby, with the same password; its application name is `standby`. */
  readonly standby: PostgresServer;
  /** Carries the WAL from the primary to the standby; a mode other than `pass` makes the standby lag. */
  readonly link: FaultProxy;
  /**
   * Resolves when the standby has replayed everything that the primary had written at the time of the call.
   */
  caughtUp(): Promise<void>;
  /** Promotes the standby with the data it has. The old primary is not informed and continues. */
  promote(): Promise<void>;
  /** Ends all servers. Idempotent. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const syncTimeoutMs = 30_000;

/** Starts a primary and a standby, and waits until the standby has all data: about 4 s. */
export async function startPostgresReplication(
  options: PostgresReplicationOptions = {},
): Promise<PostgresReplication> {
  const { synchronous = false, ...rest } = options;
  const primary = await startPostgres(rest);
  const opened: { close(): Promise<void> }[] = [primary];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((one) => one.close()));
  };
  try {
    const link = await startFaultProxy({ target: { host, port: primary.port } });
    opened.push(link);
    const standby = await startStandby(primary, link);
    opened.push(standby);
    const caughtUp = (): Promise<void> => untilReplayed(primary, standby);
    await caughtUp();
    if (synchronous) {
      await query(primary, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
      await query(primary, 'SELECT pg_reload_conf()');
      await until(primary, `SELECT sync_state = 'sync' AS done FROM pg_stat_replication`);
    }
    const promote = async (): Promise<void> => {
      const [row] = await query(standby, 'SELECT pg_promote() AS done');
      if (row?.done !== true) throw new Error('the standby was not promoted within 60 s');
    };
    return { primary, standby, link, caughtUp, promote, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts a copy of the primary, made while the primary is stopped, that follows it. */
async function startStandby(primary: LocalPostgres, link: FaultProxy): Promise<LocalPostgres> {
  const { password } = new URL(primary.url);
  await primary.stop('fast');
  const conninfo = `host=${host} port=${link.port} user=postgres password=${password} application_name=standby`;
  // A standby accepts queries while the primary is down.
  const standby = await primary.startCopy({ primary_conninfo: conninfo }, ['standby.signal']);
  await primary.start();
  return standby;
}

async function untilReplayed(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  const [row] = await query(primary, 'SELECT pg_current_wal_lsn()::text AS lsn');
  await until(standby, `SELECT pg_last_wal_replay_lsn() >= '${row?.lsn}'::pg_lsn AS done`);
}

async function until(server: PostgresServer, text: string): Promise<void> {
  const done = await pollUntil(async () => (await query(server, text))[0]?.done === true, syncTimeoutMs);
  if (!done) throw new Error(`the standby was not in sync after ${syncTimeoutMs / 1000} s`);
}

async function query(server: PostgresServer, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url, ssl: false });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
