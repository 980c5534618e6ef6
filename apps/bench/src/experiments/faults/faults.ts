import { setTimeout as delay } from 'node:timers/promises';
import { startFaultProxy, type startPostgres, startRedis, startRedisReplication } from '@ids/local-services';
import { Redis } from 'ioredis';
import type { Backend } from '../../cases/case.js';

/** Something that goes wrong in production. */
export interface Fault {
  readonly name: string;
  /** What happens, for the report. */
  readonly what: string;
  /** The backend that a strategy must have to be concerned; absent if all are. */
  readonly concerns?: Backend;
  /** The clocks of the processes are set back in the middle. */
  readonly clockBack?: true;
  /** Starts the servers that the fault is about. */
  open(add: Add): Promise<Play>;
}

export interface Closable {
  close(): Promise<void>;
}

/** Has a server closed after the fault; returns it. */
export type Add = <T extends Closable>(server: T) => T;

interface Play {
  readonly redisUrl?: string;
  /** Injects the fault and undoes it. */
  strike(struck: Struck): Promise<void>;
}

/** What a fault can strike. */
interface Struck {
  readonly postgres: Awaited<ReturnType<typeof startPostgres>> | undefined;
  /** Kills the first process with SIGKILL and starts another. */
  replaceOne(): void;
}

/** How long a server stays away, and how far a replica lags behind. */
const AWAY_MS = 1_500;
const LAG_MS = 500;

export const faults: readonly Fault[] = [
  {
    name: 'Redis restarted from old data',
    what: `Redis saves its data, issues ids for another ${LAG_MS} ms, is killed, stays down for ${AWAY_MS} ms and starts from the saved data`,
    concerns: 'redis',
    async open(add) {
      const redis = add(await startRedis({ args: ['--dbfilename', 'dump.rdb'] }));
      const strike = async () => {
        const client = new Redis(redis.url);
        client.on('error', () => {});
        await client.save();
        await client.quit();
        await delay(LAG_MS);
        await redis.kill();
        await delay(AWAY_MS);
        await redis.restart();
      };
      return { redisUrl: redis.url, strike };
    },
  },
  {
    name: 'failover to a lagging replica',
    what: `a replica gets nothing for ${LAG_MS} ms, then the primary is killed and its address leads to the replica`,
    concerns: 'redis',
    async open(add) {
      const replication = add(await startRedisReplication({ throughProxy: true }));
      const { primary, replicas, links } = replication;
      const [replica] = replicas;
      const [link] = links;
      if (replica === undefined || link === undefined) throw new Error('there is no replica');
      const endpoint = add(await startFaultProxy({ target: primary }));
      const strike = async () => {
        await link.setMode('blackhole');
        await delay(LAG_MS);
        await primary.kill();
        await replication.promote(replica);
        endpoint.retarget(replica);
        endpoint.cut();
      };
      return { redisUrl: endpoint.url('redis'), strike };
    },
  },
  {
    name: 'database stopped',
    what: `Postgres stops as in a power cut and starts again after ${AWAY_MS} ms`,
    concerns: 'sql',
    open: async () => ({
      async strike({ postgres }) {
        await postgres?.stop('immediate');
        await delay(AWAY_MS);
        await postgres?.start();
      },
    }),
  },
  {
    name: 'process killed',
    what: 'one of three processes is killed with SIGKILL and replaced by another',
    open: async () => ({ strike: async (struck) => struck.replaceOne() }),
  },
  {
    name: 'clock set back',
    what: 'the clock of all processes is set back by an hour',
    clockBack: true,
    open: async () => ({ strike: async () => {} }),
  },
];
