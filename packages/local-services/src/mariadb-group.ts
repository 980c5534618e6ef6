import { randomBytes } from 'node:crypto';
import mysql from 'mysql2/promise';
import { type FailoverGroup, type GroupNode, saysSoon } from './failover-group.js';
import { type FaultProxy, startFaultProxy } from './fault-proxy.js';
import {
  endReplication,
  followFrom,
  positionOf,
  query,
  startMariadbReplication,
  untilApplied,
} from './mariadb-replication.js';
import type { MariadbServer } from './mariadb-server.js';
import { dumpMysqlTable } from './mysql-table-dump.js';

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

/**
 * Two MariaDB servers with asynchronous replication, and the steps of a manager such as MaxScale: `handOver`
 * loses nothing, and `leaderAfter` of a frozen node promotes the other one with all that it received. The URL
 * of a node is that of an account with all rights on one database, which `read_only` binds.
 */
export async function startMariadbGroup(): Promise<FailoverGroup> {
  const replication = await startMariadbReplication({ settings });
  const fronts: FaultProxy[] = [];
  const close = async (): Promise<void> => {
    await Promise.all([...fronts, replication].map((one) => one.close()));
  };
  try {
    const { primary, replica } = replication;
    const password = randomBytes(12).toString('hex');
    await primary.createDatabase(database);
    await query(primary, `CREATE USER '${user}'@'%' IDENTIFIED BY '${password}'`);
    await query(primary, `GRANT ALL ON ${database}.* TO '${user}'@'%'`);
    await replication.caughtUp();
    await query(replica, 'SET GLOBAL read_only = ON');
    const places: Place[] = [];
    for (const server of [primary, replica]) {
      const front = await startFaultProxy({ target: { host, port: server.port } });
      fronts.push(front);
      places.push({ server, front, url: front.url(`mysql://${user}:${password}@${host}/${database}`) });
    }
    return new MariadbGroup(places, close);
  } catch (error) {
    await close();
    throw error;
  }
}

interface Place {
  readonly server: MariadbServer;
  /** Between it and the service. */
  readonly front: FaultProxy;
  readonly url: string;
}

class MariadbNode implements GroupNode {
  readonly name: string;
  readonly url: string;
  readonly server: MariadbServer;
  readonly front: FaultProxy;
  /** Whether its commits may be unknown to the others. */
  apart = false;
  readonly #handOver: (node: MariadbNode) => Promise<void>;

  constructor(name: string, { server, front, url }: Place, handOver: (node: MariadbNode) => Promise<void>) {
    this.name = name;
    this.server = server;
    this.front = front;
    this.url = url;
    this.#handOver = handOver;
  }

  get port(): number {
    return this.front.port;
  }

  acceptsWrites(): Promise<boolean> {
    return saysSoon(async () => {
      const connection = await mysql.createConnection({ uri: this.url, connectTimeout: answerMs });
      connection.on('error', () => {});
      const asked = connection.query({ sql: 'SELECT @@read_only AS bound', timeout: answerMs });
      const [rows] = await asked.finally(() => connection.destroy());
      return (rows as { bound: unknown }[])[0]?.bound === 0;
    });
  }

  async freeze(): Promise<void> {
    this.apart = true;
    process.kill(this.server.pid, 'SIGSTOP');
  }

  wakeServer(): void {
    process.kill(this.server.pid, 'SIGCONT');
  }

  handOver(): Promise<void> {
    return this.#handOver(this);
  }

  /** The manager is elsewhere: `complete`. */
  wakeManager(): void {}
}

class MariadbGroup implements FailoverGroup {
  readonly nodes: readonly MariadbNode[];
  readonly versions: FailoverGroup['versions'];
  readonly close: () => Promise<void>;
  #leader: MariadbNode | undefined;

  constructor(places: readonly Place[], close: () => Promise<void>) {
    const handOver = (node: MariadbNode) => this.#handOver(node);
    this.nodes = places.map((place, i) => new MariadbNode(`m${i + 1}`, place, handOver));
    this.#leader = this.nodes[0];
    this.versions = { mariadb: places[0]?.server.version ?? '' };
    this.close = close;
  }

  async leader(): Promise<MariadbNode | undefined> {
    return this.#leader;
  }

  async leaderAfter(former: GroupNode | undefined): Promise<MariadbNode> {
    if (this.#leader === former) {
      const { server } = this.#other;
      await query(server, 'STOP SLAVE IO_THREAD');
      const [received] = await query(server, 'SHOW SLAVE STATUS');
      await this.#promote(String(received?.Gtid_IO_Pos ?? ''));
    }
    if (this.#leader === undefined) throw new Error('no node leads');
    return this.#leader;
  }

  /** Loses nothing: the next leader has all that the former one committed. */
  async #handOver(former: MariadbNode): Promise<void> {
    await query(former.server, 'SET GLOBAL read_only = ON');
    const position = await positionOf(former.server);
    const next = await this.#promote(position);
    await query(former.server, `SET GLOBAL gtid_slave_pos = '${position}'`);
    await followFrom(former.server, next.server);
  }

  async complete(): Promise<void> {
    if (this.#leader === undefined) return;
    const follower = this.#other;
    if (follower.apart) await this.#rebuild(follower, this.#leader);
    await untilApplied(follower.server, await positionOf(this.#leader.server));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #other(): MariadbNode {
    const other = this.nodes.find((node) => node !== this.#leader);
    if (other === undefined) throw new Error('a group has two nodes');
    return other;
  }

  async #promote(position: string): Promise<MariadbNode> {
    const next = this.#other;
    await untilApplied(next.server, position);
    await endReplication(next.server);
    await query(next.server, 'SET GLOBAL read_only = OFF');
    this.#leader = next;
    return next;
  }

  /** Replaces the tables of a server whose commits others lack, as managers refuse to let it follow. */
  async #rebuild(node: MariadbNode, leader: MariadbNode): Promise<void> {
    await node.front.setMode('refuse');
    node.front.cut();
    await query(node.server, 'SET GLOBAL read_only = ON');
    const of = ({ server }: MariadbNode) => new URL(`/${database}`, server.url).href;
    const lock = await mysql.createConnection(of(leader));
    await lock.query('FLUSH TABLES WITH READ LOCK');
    const position = await positionOf(leader.server);
    const [tables] = (await lock.query('SHOW TABLES')) as unknown as [object[]];
    const names = tables.flatMap((row) => Object.values(row).map(String));
    const dumps = await Promise.all(names.map((name) => dumpMysqlTable(of(leader), name)));
    await lock.end();
    for (const dump of dumps) await dump.restoreTo(of(node));
    await query(node.server, 'RESET MASTER');
    await query(node.server, `SET GLOBAL gtid_slave_pos = '${position}'`);
    await followFrom(node.server, leader.server);
    await untilApplied(node.server, position);
    node.apart = false;
    await node.front.setMode('pass');
  }
}
