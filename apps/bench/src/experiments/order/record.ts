import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { IdFormat, Subject } from '../../cases/case.js';
import { assertType } from '../../measure/validate.js';
import { setClocksBack } from '../../worker/host-clock.js';
import { caseJob } from '../../worker/job.js';

interface OrderRequest {
  readonly count: number;
  /** The calls are spread over this many milliseconds, or more if the strategy is slower. */
  readonly windowMs: number;
  /** Concurrent callers. */
  readonly concurrency: number;
  /** The zero of all times: nanoseconds on the machine's monotonic clock, the same for all processes. */
  readonly epoch: bigint;
  /** How many seconds the clocks of the process are behind those of the others, as on another host. */
  readonly clockBehindS?: number;
}

/** The calls of one process, in the order in which they were made. Times are nanoseconds since the epoch. */
export interface OrderTrace {
  readonly ids: readonly Id[];
  readonly invoked: Float64Array;
  readonly completed: Float64Array;
}

const TICK_MS = 10;

/** The machine's, whatever the subject sees. */
const monotonicClock = process.hrtime.bigint;

/** Requests ids with `next`, and records the start and end of each call. */
async function recordOrder(
  subject: Subject,
  format: IdFormat,
  { count, windowMs, concurrency, epoch }: OrderRequest,
): Promise<OrderTrace> {
  const { next } = subject;
  if (next === undefined) throw new Error('there is no next to record');
  const now = () => Number(monotonicClock() - epoch);
  const ids = new Array<Id>(count).fill(0);
  const invoked = new Float64Array(count);
  const completed = new Float64Array(count);
  let calls = 0;

  async function call(): Promise<void> {
    const index = calls++;
    invoked[index] = now();
    const id = await (next as () => Promise<Id>)();
    completed[index] = now();
    assertType(id, format);
    ids[index] = id;
  }

  const start = performance.now();
  const ticks = Math.max(1, Math.floor(windowMs / TICK_MS));
  for (let tick = 1; tick <= ticks; tick++) {
    const quota = Math.ceil((count * tick) / ticks);
    while (calls < quota) {
      await Promise.all(Array.from({ length: Math.min(concurrency, quota - calls) }, call));
      await turn();
    }
    await delay(Math.max(0, start + tick * TICK_MS - performance.now()));
  }
  return { ids, invoked, completed };
}

const recordJob = caseJob(import.meta.url, 'orderJob', (subject, { format }, request: OrderRequest) =>
  recordOrder(subject, format, request),
);

export const orderJob: typeof recordJob = {
  ...recordJob,
  open(request, ref) {
    // Before the case is loaded, so that it cannot have taken another clock.
    if (request.clockBehindS !== undefined) setClocksBack(request.clockBehindS);
    return recordJob.open(request, ref);
  },
};
