import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { fromPgUrl, SqlSegmentSource } from '@ids/segment/sql';
import { createRedisSegmentGenerator } from '@ids/segment-redis-db';
import { keyPrefixOf, need } from '../../backend-names.js';
import type { CaseEnvironment } from '../../bench-case.js';
import { dropKey } from '../../controls/drop-key.js';
import { dropSchema } from '../../controls/run-schema.js';
import { segmentsOf, withSequence } from '../../segment-table.js';
import type { ProbeCase } from '../claim.js';
import { slowSource } from './slow-source.js';
import { nowNs } from './timed-blocks.js';

const SEQUENCE = 'edges';
const DATABASE_MS = 5;
/** Settled from the start. Half of it lasts longer than the database takes. */
const STEP = 2_000;
/** Ids on either side of a segment's end that count as its edge. */
const EDGE = 100;
const CALLERS = 16;
const WARM_UP_MS = 300;
/** For ten thousand calls at edges in a quick run: p99.9 needs as many. */
const PATIENCE = 8;

/**
 * Segments of 2,000 ids, the database 5 ms away, 16 callers. Figures: `p999AtEdges` of the calls that got one
 * of the 100 ids on either side of a segment's end, `p999Inside` of the others.
 */
export function redisEdges(name: string): ProbeCase {
  return {
    name,
    backends: ['redis', 'sql'],
    patience: PATIENCE,
    prepare: withSequence(SEQUENCE),
    async cleanUp(environment) {
      await dropKey(environment, `${keyPrefixOf(environment)}{${SEQUENCE}}`);
      await dropSchema(environment);
    },
    async open(environment) {
      const ends: number[] = [];
      const { generator, executor } = await openGenerator(environment, (high) => ends.push(high));
      return {
        async measure(ms) {
          await runCallers(generator, WARM_UP_MS);
          const calls = await runCallers(generator, ms);
          const histograms = { edge: newHistogram(), inside: newHistogram() };
          for (const { id, ns } of calls) {
            const near = ends.some((end) => id > end - EDGE && id <= end + EDGE);
            histograms[near ? 'edge' : 'inside'].record(ns);
          }
          return {
            p999AtEdges: histograms.edge.percentile(99.9),
            p999Inside: histograms.inside.percentile(99.9),
            callsAtEdges: histograms.edge.count,
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
  const generator = await createRedisSegmentGenerator({
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

function newHistogram(): RecordableHistogram {
  return createHistogram({ lowest: 1, highest: 60_000_000_000, figures: 3 });
}
