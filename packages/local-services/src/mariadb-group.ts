import { randomBytes } from 'node:crypto';
import mysql from 'mysql2/promise';
import { type FailoverGroup, groupOf } from './failover-group.js';
import { type FaultProxy, startFaultProxy } from './fault-proxy.js';
import * as replication from './mariadb-replication.js';
import type { MariadbServer } from './mariadb-server.js';
import { dumpMysqlTable } from './mysql-table-dump.js';

const { query } = replication;
const host = '127.0.0.1';
const database = 'app';
const user = 'service';
const answerMs = 1_000;
const settings = {
  // Whoever follows the replica later needs what it applied.
  log_slave_updates: 'ON',
  log_bin_trust_function_creators: 'ON',
  max_connections: '300',
};

/** A server, and the way of the service to it. */
interface Member {
  readonly server: MariadbServer;
  readonly front: FaultProxy;
  readonly port: number;
  readonly url: string;
  readonly pid: number;
}

/**
 * Two MariaDB servers with asynchronous replication, and the steps of a manager such as MaxScale: `handOver`
 * loses nothing, and `leaderAfter` of a frozen node promotes the other one with all that it received. The URL
 * of a node is that of an account with all rights on one database, which `read_only` binds.
 */
export async function startMariadbGroup(): Promise<FailoverGroup> {
  const pair = await replication.startMariadbReplication({ settings });
  const opened: { close(): Promise<void> }[] = [pair];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((one) => one.close()));
  };
  try {
    return await groupOver(pair, opened, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** The group of a pair of servers. What it opens is added to `opened`, which `close` closes. */
async function groupOver(
  pair: Awaited<ReturnType<typeof replication.startMariadbReplication>>,
  opened: { close(): Promise<void> }[],
  close: () => Promise<void>,
): Promise<FailoverGroup> {
  const password = randomBytes(12).toString('hex');
  const [first, second] = await Promise.all(
    [pair.primary, pair.replica].map(async (server): Promise<Member> => {
      const front = await startFaultProxy({ target: { host, port: server.port } });
      opened.push(front);
      const url = front.url(`mysql://${user}:${password}@${host}/${database}`);
      return { server, front, port: front.port, url, pid: server.pid };
    }),
  );
  if (first === undefined || second === undefined) throw new TypeError('unreachable: two servers');
  await pair.primary.createDatabase(database);
  await query(pair.primary, `CREATE USER '${user}'@'%' IDENTIFIED BY '${password}'`);
  await query(pair.primary, `GRANT ALL ON ${database}.* TO '${user}'@'%'`);
  await pair.caughtUp();
  await query(pair.replica, 'SET GLOBAL read_only = ON');

  let [leader, follower] = [first, second];
  /** Whether the follower may have commits that the leader lacks. */
  let apart = false;

  /** Lets the follower lead once it has applied what is at `position`. */
  async function promote(position: string): Promise<void> {
    await replication.untilApplied(follower.server, position);
    await replication.endReplication(follower.server);
    await query(follower.server, 'SET GLOBAL read_only = OFF');
    [leader, follower] = [follower, leader];
  }

  async function follow(position: string): Promise<void> {
    await query(follower.server, `SET GLOBAL gtid_slave_pos = '${position}'`);
    await replication.followFrom(follower.server, leader.server);
  }

  /** Replaces the tables of the follower, as one with commits of its own must not follow. */
  async function rebuild(): Promise<void> {
    await follower.front.setMode('refuse');
    follower.front.cut();
    await query(follower.server, 'SET GLOBAL read_only = ON');
    const [from, to] = [leader, follower].map(({ server }) => new URL(`/${database}`, server.url).href);
    const lock = await mysql.createConnection(String(from));
    await lock.query('FLUSH TABLES WITH READ LOCK');
    const position = await replication.positionOf(leader.server);
    const tables = await query(leader.server, `SHOW TABLES FROM ${database}`);
    const names = tables.flatMap((row) => Object.values(row).map(String));
    const dumps = await Promise.all(names.map((name) => dumpMysqlTable(String(from), name)));
    await lock.end();
    for (const dump of dumps) await dump.restoreTo(String(to));
    await query(follower.server, 'RESET MASTER');
    await follow(position);
    await follower.front.setMode('pass');
    apart = false;
  }

  return groupOf({
    servers: [first, second],
    versions: { mariadb: first.server.version },
    acceptsWrites: async ({ url }) => {
      const connection = await mysql.createConnection({ uri: url, connectTimeout: answerMs });
      connection.on('error', () => {});
      const asked = connection.query({ sql: 'SELECT @@read_only AS bound', timeout: answerMs });
      const [rows] = await asked.finally(() => connection.destroy());
      return (rows as { bound: unknown }[])[0]?.bound === 0;
    },
    leader: async () => leader,
    leaderAfter: async (former) => {
      if (former !== leader) return leader;
      apart = true;
      await query(follower.server, 'STOP SLAVE IO_THREAD');
      const [received] = await query(follower.server, 'SHOW SLAVE STATUS');
      await promote(String(received?.Gtid_IO_Pos));
      return leader;
    },
    handOver: async () => {
      await query(leader.server, 'SET GLOBAL read_only = ON');
      const position = await replication.positionOf(leader.server);
      await promote(position);
      await follow(position);
    },
    complete: async () => {
      if (apart) await rebuild();
      await replication.untilApplied(follower.server, await replication.positionOf(leader.server));
    },
    close,
  });
}
