import { createRedisSegmentGenerator } from '@ids/segment-redis-db';
import { keyPrefixOf, need } from '../backend-names.js';
import type { CaseEnvironment } from '../bench-case.js';
import { dropKey } from '../controls/drop-key.js';
import { dropSchema } from '../controls/run-schema.js';
import { segmentsOf, withSequence } from '../segment-table.js';
import type { PackageClaims, ProbeCase } from './claim.js';
import { callersProbe } from './probes/callers-probe.js';
import { redisEdges } from './probes/redis-edges.js';

const PACKAGE = 'segment-redis-db';

const MANY = 256;
const NEXT_MANY = `segment-redis-db next, ${MANY} callers`;
const INCR_MANY = `redis INCR, ${MANY} callers`;
const NEXT_ONE = 'segment-redis-db next, 1 caller';
const SCRIPT_ONE = 'redis EVALSHA of one line, 1 caller';
const EDGES = 'segment-redis-db, database 5 ms away';

export const segmentRedisDbClaims: PackageClaims = {
  claims: [
    {
      id: 'segment-redis-db/many-callers',
      package: PACKAGE,
      text: `${MANY} callers at once get ids at least 4 times as fast as by INCR over a connection with automatic pipelining`,
      case: { probe: NEXT_MANY, figure: 'perCall' },
      control: { probe: INCR_MANY, figure: 'perCall' },
      direction: 'at least',
      threshold: 4,
    },
    {
      id: 'segment-redis-db/one-caller',
      package: PACKAGE,
      text: 'one caller gets ids at least 0.6 times as fast as by EVALSHA of a one-line script',
      case: { probe: NEXT_ONE, figure: 'perCall' },
      control: { probe: SCRIPT_ONE, figure: 'perCall' },
      direction: 'at least',
      threshold: 0.6,
    },
    {
      id: 'segment-redis-db/edge-latency',
      package: PACKAGE,
      text: 'with the database 5 ms away, p99.9 of next() at segment edges is at most twice that inside a segment',
      case: { probe: EDGES, figure: 'p999AtEdges' },
      control: { probe: EDGES, figure: 'p999Inside' },
      direction: 'at most',
      threshold: 2,
    },
  ],
  probes: [
    nextProbe(NEXT_MANY, MANY),
    incrProbe(INCR_MANY, MANY),
    nextProbe(NEXT_ONE, 1),
    scriptProbe(SCRIPT_ONE, 1),
    redisEdges(EDGES),
  ],
};

/** One connection, pipelined automatically: the same for all that are compared here. */
async function connect({ redisUrl }: CaseEnvironment) {
  const { Redis } = await import('ioredis');
  return new Redis(need(redisUrl, 'Redis'), { enableAutoPipelining: true });
}

function nextProbe(name: string, callers: number): ProbeCase {
  const sequence = `callers-${callers}`;
  return callersProbe({
    name,
    callers,
    backends: ['redis', 'sql'],
    prepare: withSequence(sequence),
    async cleanUp(environment) {
      await dropKey(environment, `${keyPrefixOf(environment)}{${sequence}}`);
      await dropSchema(environment);
    },
    async open(environment) {
      const redis = await connect(environment);
      const keyPrefix = keyPrefixOf(environment);
      const options = { name: sequence, redis, keyPrefix, ...segmentsOf(environment) };
      const generator = await createRedisSegmentGenerator(options);
      return {
        next: () => generator.next(),
        async close() {
          await generator.close();
          await redis.quit();
        },
      };
    },
  });
}

function incrProbe(name: string, callers: number): ProbeCase {
  return redisProbe(name, callers, 'INCR', async (redis, key) => () => redis.incr(key));
}

function scriptProbe(name: string, callers: number): ProbeCase {
  return redisProbe(name, callers, 'EVALSHA', async (redis, key) => {
    const sha = String(await redis.script('LOAD', "return redis.call('INCR', KEYS[1])"));
    return async () => Number(await redis.evalsha(sha, 1, key));
  });
}

type Connection = Awaited<ReturnType<typeof connect>>;

function redisProbe(
  name: string,
  callers: number,
  command: string,
  open: (redis: Connection, key: string) => Promise<() => Promise<number>>,
): ProbeCase {
  const keyOf = (environment: CaseEnvironment) => `${keyPrefixOf(environment)}${command}-${callers}`;
  return callersProbe({
    name,
    callers,
    backends: ['redis'],
    cleanUp: (environment) => dropKey(environment, keyOf(environment)),
    async open(environment) {
      const redis = await connect(environment);
      return {
        next: await open(redis, keyOf(environment)),
        async close() {
          await redis.quit();
        },
      };
    },
  });
}
