import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres, startRedis, startRedisReplication } from '@ids/local-services';
import { Redis } from 'ioredis';
import type { Backend } from '../bench-case.js';
import { startEndpoint } from './endpoint.js';
import type { Fault, Scene } from './fault.js';

/** How long a server stays away, and for how long a replica had stood still. */
const AWAY_MS = 1_500;
const LAG_MS = 500;

const redisRestored: Fault = {
  name: 'Redis restarted from old data',
  what: `Redis saves, gives ids for ${LAG_MS} ms more, is killed, stays away for ${AWAY_MS} ms and starts from what it had saved`,
  outage: true,
  concerns: ({ backends }) => backends.includes('redis'),
  open: (backends) =>
    scene(backends, async (add) => {
      const redis = add(await startRedis({ args: ['--dbfilename', 'dump.rdb'] }));
      return {
        redisUrl: redis.url,
        async strike() {
          const client = new Redis(redis.url);
          await client.save();
          await client.quit();
          await delay(LAG_MS);
          await redis.kill();
          await delay(AWAY_MS);
          await redis.restart();
        },
      };
    }),
};

const failover: Fault = {
  name: 'failover to a lagging replica',
  what: `a replica stands still for ${LAG_MS} ms, then the primary is killed and the address leads to the replica`,
  outage: true,
  concerns: ({ backends }) => backends.includes('redis'),
  open: (backends) =>
    scene(backends, async (add) => {
      const replication = add(await startRedisReplication({ throughProxy: true }));
      const { primary, replicas, links } = replication;
      const [replica] = replicas;
      const [link] = links;
      if (replica === undefined || link === undefined) throw new Error('there is no replica');
      const endpoint = add(await startEndpoint(primary));
      return {
        redisUrl: `redis://127.0.0.1:${endpoint.port}`,
        async strike() {
          await link.setMode('blackhole');
          await delay(LAG_MS);
          await primary.kill();
          await replication.promote(replica);
          endpoint.leadTo(replica);
        },
      };
    }),
};

const databaseStopped: Fault = {
  name: 'database stopped',
  what: `Postgres is stopped as by a power cut and comes back after ${AWAY_MS} ms`,
  outage: true,
  concerns: ({ backends }) => backends.includes('sql'),
  open: (backends) =>
    scene(backends, async (_, { postgres }) => ({
      async strike() {
        await postgres?.stop('immediate');
        await delay(AWAY_MS);
        await postgres?.start();
      },
    })),
};

const producerKilled: Fault = {
  name: 'process killed',
  what: 'one of three processes is killed with SIGKILL and another takes its place',
  outage: false,
  concerns: () => true,
  open: (backends) =>
    scene(backends, async () => ({
      strike: async (producers) => producers.replaceOne(),
    })),
};

const clockBack: Fault = {
  name: 'clock set back',
  what: 'the clock of all processes goes back by an hour',
  outage: false,
  clockBack: true,
  concerns: () => true,
  open: (backends) => scene(backends, async () => ({ strike: async () => {} })),
};

export const faults: readonly Fault[] = [redisRestored, failover, databaseStopped, producerKilled, clockBack];

interface Closable {
  close(): Promise<void>;
}

interface Servers {
  readonly postgres?: Awaited<ReturnType<typeof startPostgres>>;
}

interface Play {
  readonly redisUrl?: string;
  strike: Scene['strike'];
}

/**
 * Starts what the strategy needs and the fault does not bring itself; closes everything when
 * any of it cannot be had.
 */
async function scene(
  backends: readonly Backend[],
  stage: (add: <T extends Closable>(one: T) => T, servers: Servers) => Promise<Play>,
): Promise<Scene> {
  const opened: Closable[] = [];
  const add = <T extends Closable>(one: T): T => {
    opened.push(one);
    return one;
  };
  const close = async () => {
    await Promise.all(opened.map((one) => one.close()));
  };
  try {
    const postgres = backends.includes('sql') ? add(await startPostgres()) : undefined;
    const play = await stage(add, postgres === undefined ? {} : { postgres });
    const needsRedis = backends.includes('redis') && play.redisUrl === undefined;
    const redisUrl = needsRedis ? add(await startRedis()).url : play.redisUrl;
    return {
      urls: {
        ...(redisUrl !== undefined && { redisUrl }),
        ...(postgres !== undefined && { databaseUrl: postgres.url }),
      },
      strike: play.strike,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
