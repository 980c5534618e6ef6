import { OTHERS } from './others.js';
import type { RemovedLine } from './removed-line.js';
import { SEGMENT } from './segment.js';
import { SEGMENT_REDIS_DB } from './segment-redis-db.js';
import { SNOWFLAKE } from './snowflake.js';

/** The table: each line was removed once, and its tests were seen to fail. */
export const LINES: readonly RemovedLine[] = [...SEGMENT, ...SEGMENT_REDIS_DB, ...SNOWFLAKE, ...OTHERS];

/** Files with fault tests that have no row, and why. */
export const WITHOUT_ROW: Readonly<Record<string, string>> = {
  'packages/local-services/test/integration/redis-sentinel.test.ts':
    'the failover is made by Sentinel; without the order for it, the harness itself gives up',
  'packages/segment-inproc/test/integration/killed-in-refill.test.ts':
    'two lines bound what is lost: that of the step, and that of the size of each refill',
  'packages/segment-inproc/test/integration/killed.test.ts':
    'a reservation is one UPDATE, and nothing else keeps a dead process from being repeated',
  'packages/segment-inproc/test/integration/locked-row.test.ts':
    'where it fails while it holds its lock, the end of its session waits for that, so no failure is reported',
  'packages/segment-inproc/test/integration/pooler.test.ts':
    'a reservation is one UPDATE, and the pool finds another connection by itself',
  'packages/segment-inproc/test/integration/unclosed.test.ts':
    'without the line, a process never ends, and its test waits until its limit',
  'packages/segment-redis-db/test/integration/interleavings.test.ts':
    'it plays random plans, which find each line in one of many runs only; late-refill.test.ts has the lines',
  'packages/segment-redis-db/test/integration/unclosed.test.ts':
    'without the line, a process never ends, and its test waits until its limit',
  'packages/snowflake/test/integration/worker-restarts.test.ts':
    'the line bridges a second, in which a busy machine starts no process; fixed-worker.test.ts has the line',
};
