import mysql from 'mysql2/promise';
import { type FaultProxy, startFaultProxy } from './fault-proxy.js';
import { type MariadbOptions, type MariadbServer, startMariadb } from './mariadb-server.js';

/** A primary and a replica that applies its row events, owned by whoever started them. */
export interface MariadbReplication extends AsyncDisposable {
  readonly primary: MariadbServer;
  /** The replica, which accepts writes unless `settings` say otherwise. */
  readonly replica: MariadbServer;
  /** Carries the binary log to the replica; a mode other than `pass` makes the replica lag. */
  readonly link: FaultProxy;
  /** Resolves when the replica has applied what the primary had committed at the time of the call. */
  caughtUp(): Promise<void>;
  /** Ends the replication with the data that the replica has. The old primary is not informed. */
  promote(): Promise<void>;
  /** Ends all servers. Idempotent. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const syncTimeoutS = 60;

/** Starts both servers, with a binary log each, and the replication: about 6 s. */
export async function startMariadbReplication({
  settings = {},
}: MariadbOptions = {}): Promise<MariadbReplication> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((one) => one.close()));
  };
  const start = async (id: string): Promise<MariadbServer> => {
    const logged = { server_id: id, log_bin: 'bin', sync_binlog: '1', ...settings };
    const server = await startMariadb({ settings: logged });
    opened.push(server);
    return server;
  };
  try {
    const [primary, replica] = await Promise.all([start('1'), start('2')]);
    const link = await startFaultProxy({ target: { host, port: primary.port } });
    opened.push(link);
    await followFrom(replica, primary, link.port);
    const caughtUp = async (): Promise<void> => untilApplied(replica, await positionOf(primary));
    await caughtUp();
    const promote = () => endReplication(replica);
    return { primary, replica, link, caughtUp, promote, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Lets a server replicate from `primary`, which answers at `port`, from the position that it has. */
export async function followFrom(
  replica: MariadbServer,
  primary: MariadbServer,
  port: number = primary.port,
): Promise<void> {
  const { username, password } = new URL(primary.url);
  await query(
    replica,
    `CHANGE MASTER TO MASTER_HOST = '${host}', MASTER_PORT = ${port}, MASTER_USER = '${username}',
      MASTER_PASSWORD = '${password}', MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1`,
  );
  await query(replica, 'START SLAVE');
}

/** What a server has written to its binary log. */
export async function positionOf(server: MariadbServer): Promise<string> {
  return String((await query(server, 'SELECT @@gtid_binlog_pos AS at'))[0]?.at);
}

export async function untilApplied(replica: MariadbServer, position: string): Promise<void> {
  const [waited] = await query(replica, `SELECT MASTER_GTID_WAIT('${position}', ${syncTimeoutS}) AS late`);
  if (waited?.late !== 0) throw new Error(`the replica was not in sync after ${syncTimeoutS} s`);
}

/** Ends the replication of a server with the data that it has. */
export async function endReplication(replica: MariadbServer): Promise<void> {
  await query(replica, 'STOP SLAVE');
  await query(replica, 'RESET SLAVE ALL');
}

export async function query(server: MariadbServer, sql: string): Promise<readonly Record<string, unknown>[]> {
  const connection = await mysql.createConnection(server.url);
  try {
    const [rows] = await connection.query(sql);
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
  } finally {
    await connection.end();
  }
}
