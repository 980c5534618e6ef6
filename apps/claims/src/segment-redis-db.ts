import {
  CALLS_FOR_P999,
  type CaseEnvironment,
  keyPrefixOf,
  need,
  noLatencies,
  openRedis,
  percentile,
  record,
  segmentsOf,
  withRedisKey,
  withRedisSequence,
} from '@ids/bench/measure';
import { fromPgUrl, SqlSegmentSource } from '@ids/segment/sql';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { claimsOf, type StatedClaim } from './claim.js';
import { callersProbe } from './probes/calls.js';
import { nowNs, type ProbeCase } from './probes/probe.js';
import { slowSource } from './segment-inproc.js';

const MANY = 256;

function nextProbe(name: string, callers: number): ProbeCase {
  const sequence = `callers-${callers}`;
  return callersProbe({
    name,
    callers,
    backends: ['redis', 'sql'],
    ...withRedisSequence(sequence),
    async open(environment) {
      const redis = await openRedis(environment);
      const keyPrefix = keyPrefixOf(environment);
      const options = { name: sequence, redis, keyPrefix, ...segmentsOf(environment) };
      const generator = await createSegmentRedisDbGenerator(options);
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

type Connection = Awaited<ReturnType<typeof openRedis>>;

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
    ...withRedisKey(keyOf),
    async open(environment) {
      const redis = await openRedis(environment);
      return {
        next: await open(redis, keyOf(environment)),
        async close() {
          await redis.quit();
        },
      };
    },
  });
}

const SEQUENCE = 'edges';
const DATABASE_MS = 5;
/** Fixed. Half of a segment lasts longer than a round trip to the database. */
const STEP = 2_000;
/** Ids on each side of the end of a segment that count as its edge. */
const EDGE = 100;
const CALLERS = 16;
const WARM_UP_MS = 300;
/** For `CALLS_FOR_P999` calls at edges in a quick run. */
const PATIENCE = 8;

/**
 * Segments of 2,000 ids, the database 5 ms away, 16 callers. Figures: `p999AtEdges` of calls that got one of
 * the 100 ids on each side of the end of a segment, `p999Inside` of the others; absent in a block with too
 * few calls for them.
 */
function redisEdges(name: string): ProbeCase {
  return {
    name,
    backends: ['redis', 'sql'],
    patience: PATIENCE,
    ...withRedisSequence(SEQUENCE),
    async open(environment) {
      const ends: number[] = [];
      const { generator, executor } = await openGenerator(environment, (high) => ends.push(high));
      return {
        async measure(ms) {
          await runCallers(generator, WARM_UP_MS);
          const calls = await runCallers(generator, ms);
          const [edge, inside] = [noLatencies(), noLatencies()];
          for (const { id, ns } of calls) {
            const near = ends.some((end) => id > end - EDGE && id <= end + EDGE);
            record(near ? edge : inside, ns);
          }
          const callsAtEdges = edge.calls;
          if (callsAtEdges < CALLS_FOR_P999) return { callsAtEdges };
          return {
            p999AtEdges: percentile(edge, 99.9) ?? 0,
            p999Inside: percentile(inside, 99.9) ?? 0,
            callsAtEdges,
          };
        },
        async close() {
          await generator.close();
          await executor.close();
        },
      };
    },
  };
}

async function openGenerator(environment: CaseEnvironment, onEnd: (high: number) => void) {
  const { database, table } = segmentsOf(environment);
  const executor = await fromPgUrl(database);
  const generator = await createSegmentRedisDbGenerator({
    name: SEQUENCE,
    redis: need(environment.redisUrl, 'Redis'),
    keyPrefix: keyPrefixOf(environment),
    source: slowSource(new SqlSegmentSource(executor, { table }), DATABASE_MS),
    minStep: STEP,
    maxStep: STEP,
    onEvent(event) {
      if (event.type === 'refill') onEnd(event.segment.high);
    },
  });
  return { generator, executor };
}

interface TimedCall {
  readonly id: number;
  readonly ns: number;
}

async function runCallers(generator: { next(): Promise<number> }, ms: number): Promise<TimedCall[]> {
  const calls: TimedCall[] = [];
  const end = performance.now() + ms;
  const caller = async () => {
    while (performance.now() < end) {
      const asked = nowNs();
      const id = await generator.next();
      calls.push({ id, ns: Math.max(1, Number(nowNs() - asked)) });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return calls;
}

const edges = redisEdges('segment-redis-db, database 5 ms away');
const incrMany = redisProbe(
  `redis INCR, ${MANY} callers`,
  MANY,
  'INCR',
  async (redis, key) => () => redis.incr(key),
);
const scriptOne = redisProbe('redis EVALSHA of one line, 1 caller', 1, 'EVALSHA', async (redis, key) => {
  const sha = String(await redis.script('LOAD', "return redis.call('INCR', KEYS[1])"));
  return async () => Number(await redis.evalsha(sha, 1, key));
});

const { atMostTimes, faster } = claimsOf('segment-redis-db');

export const segmentRedisDbClaims: readonly StatedClaim[] = [
  faster(
    'many-callers',
    4,
    [nextProbe(`segment-redis-db next, ${MANY} callers`, MANY), 'perCall'],
    [incrMany, 'perCall'],
    `${MANY} callers at once get ids at least 4 times as fast as by INCR over a connection with automatic pipelining`,
  ),
  faster(
    'one-caller',
    0.6,
    [nextProbe('segment-redis-db next, 1 caller', 1), 'perCall'],
    [scriptOne, 'perCall'],
    'one caller gets ids at least 0.6 times as fast as by EVALSHA of a one-line script',
  ),
  atMostTimes(
    'edge-latency',
    2,
    [edges, 'p999AtEdges'],
    [edges, 'p999Inside'],
    'with the database 5 ms away, p99.9 of next() at segment edges is at most twice that inside a segment',
  ),
];
