import { setTimeout as delay } from 'node:timers/promises';
import { startFaultProxy, startPostgres, startRedis, startRedisReplication } from '@ids/local-services';
import { Redis } from 'ioredis';
import type { Backend, CaseEnvironment, StrategyCase } from '../../cases/case.js';

/** The servers of one fault, which nothing else uses. */
export interface Scene {
  readonly urls: Pick<CaseEnvironment, 'redisUrl' | 'databaseUrl'>;
  /** Injects the fault and undoes it. */
  strike(producers: Producers): Promise<void>;
  close(): Promise<void>;
}

/** The processes that request ids. */
interface Producers {
  /** Kills the first one with SIGKILL and starts another. */
  replaceOne(): void;
}

/** Something that goes wrong in production. */
export interface Fault {
  readonly name: string;
  /** What happens, for the report. */
  readonly what: string;
  /** Whether the fault can affect the strategy. */
  concerns(strategy: StrategyCase): boolean;
  /** A server is away for a while. */
  readonly outage: boolean;
  /** The clocks of the processes are set back in the middle. */
  readonly clockBack?: boolean;
  open(backends: readonly Backend[]): Promise<Scene>;
}

/** How long a server stays away, and how far a replica lags behind. */
const AWAY_MS = 1_500;
const LAG_MS = 500;

const redisRestored: Fault = {
  name: 'Redis restarted from old data',
  what: `Redis saves its data, issues ids for another ${LAG_MS} ms, is killed, stays down for ${AWAY_MS} ms and starts from the saved data`,
  outage: true,
  concerns: ({ backends }) => backends.includes('redis'),
  open: (backends) =>
    scene(backends, async (add) => {
      const redis = add(await startRedis({ args: ['--dbfilename', 'dump.rdb'] }));
      return {
        redisUrl: redis.url,
        async strike() {
          const client = new Redis(redis.url);
          client.on('error', () => {});
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
  what: `a replica gets nothing for ${LAG_MS} ms, then the primary is killed and its address leads to the replica`,
  outage: true,
  concerns: ({ backends }) => backends.includes('redis'),
  open: (backends) =>
    scene(backends, async (add) => {
      const replication = add(await startRedisReplication({ throughProxy: true }));
      const { primary, replicas, links } = replication;
      const [replica] = replicas;
      const [link] = links;
      if (replica === undefined || link === undefined) throw new Error('there is no replica');
      const endpoint = add(await startFaultProxy({ target: primary }));
      return {
        redisUrl: endpoint.url('redis'),
        async strike() {
          await link.setMode('blackhole');
          await delay(LAG_MS);
          await primary.kill();
          await replication.promote(replica);
          endpoint.retarget(replica);
          endpoint.cut();
        },
      };
    }),
};

const databaseStopped: Fault = {
  name: 'database stopped',
  what: `Postgres stops as in a power cut and starts again after ${AWAY_MS} ms`,
  outage: true,
  concerns: ({ backends }) => backends.includes('sql'),
  open: (backends) =>
    scene(backends, async () => ({
      async strike(_, { postgres }) {
        await postgres?.stop('immediate');
        await delay(AWAY_MS);
        await postgres?.start();
      },
    })),
};

const producerKilled: Fault = {
  name: 'process killed',
  what: 'one of three processes is killed with SIGKILL and replaced by another',
  outage: false,
  concerns: () => true,
  open: (backends) =>
    scene(backends, async () => ({
      strike: async (producers) => producers.replaceOne(),
    })),
};

const clockBack: Fault = {
  name: 'clock set back',
  what: 'the clock of all processes is set back by an hour',
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
  strike(producers: Producers, servers: Servers): Promise<void>;
}

/**
 * Starts what the fault provides, and the other servers that the strategy needs; closes everything if one of
 * them cannot be started.
 */
async function scene(
  backends: readonly Backend[],
  stage: (add: <T extends Closable>(one: T) => T) => Promise<Play>,
): Promise<Scene> {
  const opened: Closable[] = [];
  const add = <T extends Closable>(one: T): T => {
    opened.push(one);
    return one;
  };
  const close = async () => {
    await Promise.all(opened.map((one) => one.close()));
  };
  const startRest = async (): Promise<Play> => {
    const play = await stage(add);
    const needsRedis = backends.includes('redis') && play.redisUrl === undefined;
    return needsRedis ? { ...play, redisUrl: add(await startRedis()).url } : play;
  };
  // All settle before anything is closed, so that no server starts after that.
  const [database, rest] = await Promise.allSettled([
    backends.includes('sql') ? startPostgres().then(add) : undefined,
    startRest(),
  ]);
  if (database.status === 'rejected' || rest.status === 'rejected') {
    await close();
    throw database.status === 'rejected' ? database.reason : (rest as PromiseRejectedResult).reason;
  }
  const { value: postgres } = database;
  const { redisUrl, strike } = rest.value;
  return {
    urls: {
      ...(redisUrl !== undefined && { redisUrl }),
      ...(postgres !== undefined && { databaseUrl: postgres.url }),
    },
    strike: (producers) => strike(producers, postgres === undefined ? {} : { postgres }),
    close,
  };
}
