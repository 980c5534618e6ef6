import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pollUntil } from './poll-until.js';
import { type RedisServer, startRedisProcess } from './redis-process.js';
import { breakLink, mendLink } from './redis-replication.js';
import { startRedis } from './redis-server.js';
import { agreedPrimary, groupComplete, hurry, isReplicaInSync, orderFailover } from './sentinel-view.js';
import { withRedis } from './with-redis.js';

/** The shape of a group of servers that Sentinels watch. */
export interface RedisSentinelOptions {
  /** At least 1, which is the default. */
  readonly replicas?: number;
  /** An odd number from 1, 3 by default; most of them must agree on a failover. */
  readonly sentinels?: number;
  /** Milliseconds without an answer after which a Sentinel thinks a server down, from 100; 500 by default. */
  readonly downAfterMs?: number;
}

/** A primary, its replicas and the Sentinels that watch them, owned by whoever started them. */
export interface RedisSentinelGroup extends AsyncDisposable {
  /** By which clients ask the Sentinels for the primary. */
  readonly name: string;
  /** First the primary of the start, then its replicas: roles change later. */
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];
  /** The server that all running Sentinels name as primary: waits until they agree, at most 30 s. */
  primary(): Promise<RedisServer>;
  /** As `primary`, once it is another one than `former`: waits for the failover. */
  primaryAfter(former: RedisServer): Promise<RedisServer>;
  /** A replica that is in sync with the primary: waits for one, at most 60 s. */
  replica(): Promise<RedisServer>;
  /**
   * `SENTINEL FAILOVER`: has a replica promoted though the primary is alive. Resolves with the new primary;
   * the former one serves on until a Sentinel reaches it, a moment later.
   */
  failover(): Promise<RedisServer>;
  /** Makes a replica of `primary` lag: it keeps the data it has by now. */
  breakLink(primary: RedisServer, replica: RedisServer): Promise<void>;
  /** Lets a server whose link was broken follow its primary again. */
  mendLink(server: RedisServer): Promise<void>;
  /** Ends all of it. Idempotent. */
  close(): Promise<void>;
}

const name = 'primary';
const formTimeoutMs = 30_000;
const agreeTimeoutMs = 30_000;
// A Sentinel waits 8 s before it makes a server that came back a replica, longer when it
// is busy with a failover.
const followTimeoutMs = 60_000;
const failoverTimeoutMs = 3_000;

/**
 * Starts a primary, its replicas and Sentinels, and waits until all of them know each other: a few seconds. A
 * server that is restarted comes back as an empty primary of its own, until the Sentinels make it a replica.
 */
export async function startRedisSentinel(options: RedisSentinelOptions = {}): Promise<RedisSentinelGroup> {
  const { replicas = 1, sentinels: sentinelCount = 3, downAfterMs = 500 } = options;
  assertAtLeast(1, { replicas, sentinels: sentinelCount });
  assertAtLeast(100, { downAfterMs });
  const servers: RedisServer[] = [];
  const sentinels: RedisServer[] = [];
  const close = async () => {
    // Sentinels first: no failover is to begin when the servers go.
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
      // Sentinels may give a failover up half-way, and then do not try again.
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

/** A Sentinel keeps what it learns in its configuration file: a restart goes on from there. */
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
