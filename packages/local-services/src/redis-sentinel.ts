import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pollUntil } from './poll-until.js';
import { breakLink, mendLink } from './redis-replication.js';
import { type RedisServer, startRedis, startRedisProcess } from './redis-server.js';
import { withRedis } from './with-redis.js';

/** The size of a group of servers that Sentinels watch. */
export interface RedisSentinelOptions {
  /** At least 1, which is the default. */
  readonly replicas?: number;
  /** An odd number from 1, 3 by default; a majority must agree on a failover. */
  readonly sentinels?: number;
  /**
   * Milliseconds without an answer after which a Sentinel considers a server down: at least 100, 500 by
   * default.
   */
  readonly downAfterMs?: number;
}

/** A primary, its replicas and the Sentinels that watch them, owned by whoever started them. */
export interface RedisSentinelGroup extends AsyncDisposable {
  /** The name by which clients ask the Sentinels for the primary. */
  readonly name: string;
  /** At first the primary, then its replicas; roles may change later. */
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];
  /** The server that all running Sentinels name as primary: waits up to 30 s until they agree. */
  primary(): Promise<RedisServer>;
  /** Like `primary`, but waits until it is another server than `former`. */
  primaryAfter(former: RedisServer): Promise<RedisServer>;
  /** A replica that is in sync with the primary: waits up to 60 s for one. */
  replica(): Promise<RedisServer>;
  /**
   * Sends `SENTINEL FAILOVER`, which promotes a replica although the primary is alive. Resolves with the new
   * primary; the former one keeps serving until a Sentinel reaches it, a moment later.
   */
  failover(): Promise<RedisServer>;
  /** Makes a replica of `primary` lag: it keeps the data it has. */
  breakLink(primary: RedisServer, replica: RedisServer): Promise<void>;
  /** Lets a server follow its primary again after `breakLink`. */
  mendLink(server: RedisServer): Promise<void>;
  /** Ends all servers. Idempotent. */
  close(): Promise<void>;
}

const name = 'primary';
const formTimeoutMs = 30_000;
const agreeTimeoutMs = 30_000;
// A Sentinel waits 8 s before it makes a returning server a replica, longer if it is busy with a failover.
const followTimeoutMs = 60_000;
const failoverTimeoutMs = 3_000;

/**
 * Starts a primary, its replicas and Sentinels, and waits until all of them know each other. Takes a few
 * seconds. A restarted server comes back as an empty primary, until the Sentinels make it a replica.
 */
export async function startRedisSentinel(options: RedisSentinelOptions = {}): Promise<RedisSentinelGroup> {
  const { replicas = 1, sentinels: sentinelCount = 3, downAfterMs = 500 } = options;
  assertAtLeast(1, { replicas, sentinels: sentinelCount });
  assertAtLeast(100, { downAfterMs });
  const servers: RedisServer[] = [];
  const sentinels: RedisServer[] = [];
  const close = async () => {
    // Sentinels first: no failover must begin when the servers end.
    await Promise.all(sentinels.map((one) => one.close()));
    await Promise.all(servers.map((one) => one.close()));
  };
  try {
    const primary = await startRedis();
    servers.push(primary);
    for (let i = 0; i < replicas; i++) servers.push(await startReplica(primary));
    for (let i = 0; i < sentinelCount; i++) {
      sentinels.push(
        await startSentinel(primary, { quorum: Math.floor(sentinelCount / 2) + 1, downAfterMs }),
      );
    }
    await until('know each other', formTimeoutMs, () => groupComplete(sentinels, name, replicas));
  } catch (error) {
    await close();
    throw error;
  }

  const agreed = () => agreedPrimary(sentinels, name, servers);
  const primaryThat = async (wanted: (server: RedisServer) => boolean) => {
    let found: RedisServer | undefined;
    await until('agree on a primary', agreeTimeoutMs, async () => {
      found = await agreed();
      return found !== undefined && wanted(found);
    });
    return found as RedisServer;
  };
  const primary = () => primaryThat(() => true);
  const primaryAfter = (former: RedisServer) => primaryThat((server) => server !== former);
  return {
    name,
    servers,
    sentinels,
    primary,
    primaryAfter,
    replica: async () => {
      const current = await primary();
      let found: RedisServer | undefined;
      await until('found a replica in sync', followTimeoutMs, async () => {
        for (const server of servers) if (await isReplicaInSync(server, current)) found = server;
        return found !== undefined;
      });
      return found as RedisServer;
    },
    failover: async () => {
      const former = await primary();
      // Sentinels may abandon a failover, and then do not try again.
      const replaced = () =>
        pollUntil(async () => ![undefined, former].includes(await agreed()), failoverTimeoutMs * 2);
      await until('finish a failover', followTimeoutMs, async () => {
        return (await orderFailover(sentinels, name)) && replaced();
      });
      return primary();
    },
    breakLink,
    mendLink,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function startReplica(primary: RedisServer): Promise<RedisServer> {
  const replica = await startRedis();
  await withRedis(replica.url, (client) => client.replicaof(primary.host, primary.port));
  return replica;
}

interface SentinelSettings {
  readonly quorum: number;
  readonly downAfterMs: number;
}

/** A Sentinel keeps what it learns in its configuration file and resumes from there after a restart. */
async function startSentinel(
  primary: RedisServer,
  { quorum, downAfterMs }: SentinelSettings,
): Promise<RedisServer> {
  const sentinel = await startRedisProcess({}, async (port, dir) => {
    const file = join(dir, 'sentinel.conf');
    const lines = [
      'bind 127.0.0.1',
      `port ${port}`,
      `dir ${dir}`,
      `sentinel monitor ${name} ${primary.host} ${primary.port} ${quorum}`,
      `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
      `sentinel failover-timeout ${name} ${failoverTimeoutMs}`,
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    return [file, '--sentinel'];
  });
  await hurry(sentinel);
  return sentinel;
}

async function until(what: string, timeoutMs: number, probe: () => Promise<boolean>): Promise<void> {
  if (await pollUntil(probe, timeoutMs)) return;
  throw new Error(`the Sentinels did not ${what} within ${timeoutMs / 1000} s`);
}

function assertAtLeast(least: number, options: Readonly<Record<string, number>>): void {
  for (const [option, value] of Object.entries(options)) {
    if (Number.isInteger(value) && value >= least) continue;
    throw new RangeError(`${option} ${value}: an integer from ${least} is accepted`);
  }
}

/** Whether every Sentinel knows all the others and all replicas, and can reach the primary. */
async function groupComplete(
  sentinels: readonly RedisServer[],
  name: string,
  replicas: number,
): Promise<boolean> {
  const views = await Promise.all(
    sentinels.map((sentinel) =>
      askSentinel(sentinel, 'MASTER', name).then((reply) => fieldsOf(reply as string[])),
    ),
  );
  return views.every(
    (view) =>
      view.get('flags') === 'master' &&
      view.get('num-slaves') === String(replicas) &&
      view.get('num-other-sentinels') === String(sentinels.length - 1),
  );
}

/** The primary, if all running Sentinels name the same one. */
async function agreedPrimary(
  sentinels: readonly RedisServer[],
  name: string,
  servers: readonly RedisServer[],
): Promise<RedisServer | undefined> {
  const replies = await Promise.all(
    // A Sentinel that is down names no primary.
    sentinels.map((sentinel) =>
      askSentinel(sentinel, 'GET-MASTER-ADDR-BY-NAME', name).catch(() => undefined),
    ),
  );
  const ports = replies.flatMap((reply) => (Array.isArray(reply) ? [Number(reply[1])] : []));
  const named = servers.find(({ port }) => port === ports[0]);
  if (named === undefined || new Set(ports).size > 1) return undefined;
  return named;
}

/** Whether `server` follows `primary` and has its data. */
async function isReplicaInSync(server: RedisServer, primary: RedisServer): Promise<boolean> {
  const info = await withRedis(server.url, (client) => client.info('replication')).catch(() => '');
  return (
    info.includes('role:slave') &&
    info.includes(`master_port:${primary.port}\r\n`) &&
    info.includes('master_link_status:up')
  );
}

/** Asks the first Sentinel for a failover; false if it finds no suitable replica yet. */
async function orderFailover(sentinels: readonly RedisServer[], name: string): Promise<boolean> {
  const [sentinel] = sentinels;
  if (sentinel === undefined) return false;
  try {
    await askSentinel(sentinel, 'FAILOVER', name);
    return true;
  } catch (error) {
    if (error instanceof Error && /^(NOGOODSLAVE|INPROG)/.test(error.message)) return false;
    throw error;
  }
}

// In milliseconds. A Sentinel demotes any server that has considered itself a primary for four publish
// periods. That must be longer than the second that the leader of a failover may need to see that the
// promotion worked. It promotes only a replica that has answered within the last five ping periods, and pings
// each once a second while the primary is down: with shorter periods it often finds no suitable replica, and
// tries again seconds later.
const periods = { 'info-period': 200, 'ping-period': 300, 'ask-period': 100, 'publish-period': 750 };

/** Shortens the polling periods of a Sentinel, whose defaults are for real networks. */
async function hurry(sentinel: RedisServer): Promise<void> {
  // Before version 7 they are fixed: everything works, only slower.
  if (Number.parseInt(sentinel.version, 10) < 7) return;
  await askSentinel(sentinel, 'DEBUG', ...Object.entries(periods).flat().map(String));
}

function askSentinel(sentinel: RedisServer, ...words: readonly string[]): Promise<unknown> {
  return withRedis(sentinel.url, (client) => client.call('SENTINEL', ...words));
}

function fieldsOf(flat: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let i = 0; i < flat.length; i += 2) fields.set(flat[i] ?? '', flat[i + 1] ?? '');
  return fields;
}
