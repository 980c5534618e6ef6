import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { BenchCase, IdFormat, Subject } from '../cases/case.js';
import type { LoopMeasure, LoopSetting } from '../schema/figures.js';
import { caseJob } from '../worker/job.js';
import { warmUp } from './pacing.js';
import { InvalidOutput, validate } from './validate.js';

export interface LoopRequest {
  readonly settings: readonly LoopSetting[];
  /** Milliseconds per setting, after warming up. */
  readonly measureMs: number;
}

const WARM_UP_BLOCK_MS = 25;
/** Ids of a loop that are checked after it. */
export const VALIDATED_IDS = 1_000;
const LONGEST_CALL_NS = 60_000_000_000;

/** Of nanoseconds, up to a minute. */
export function latencyHistogram(): RecordableHistogram {
  return createHistogram({ lowest: 1, highest: LONGEST_CALL_NS, figures: 3 });
}

/**
 * Closed loops: measures `next` and `nextBatch` with callers that call again as soon as they get an answer.
 */
export async function runClosedLoops(
  subject: Subject,
  { format }: BenchCase,
  { settings, measureMs }: LoopRequest,
): Promise<LoopMeasure[]> {
  const measures: LoopMeasure[] = [];
  for (const setting of settings) {
    const ask = askerOf(subject, setting.batch);
    validate((await Promise.all(Array.from({ length: 10 }, ask))).flat(), 10 * setting.batch, format);
    await warmUp(async () => [1 / (await loop(ask, setting, WARM_UP_BLOCK_MS, format)).idsPerSecond], {
      minBlocks: 2,
      maxBlocks: 8,
    });
    globalThis.gc?.();
    measures.push(await loop(ask, setting, measureMs, format));
  }
  return measures;
}

export const closedLoopJob = caseJob(import.meta.url, 'closedLoopJob', runClosedLoops);

type Ask = () => Promise<Id[]>;

function askerOf(subject: Subject, batch: number): Ask {
  const { next, nextBatch } = subject;
  if (next === undefined || nextBatch === undefined) throw new Error('there is no next to measure');
  return batch === 1 ? async () => [await next()] : () => nextBatch(batch);
}

async function loop(ask: Ask, setting: LoopSetting, ms: number, format: IdFormat): Promise<LoopMeasure> {
  const latency = latencyHistogram();
  const kept: Id[] = [];
  const start = process.hrtime.bigint();
  const end = start + BigInt(ms) * 1_000_000n;
  let ids = 0;
  let calls = 0;

  async function caller(): Promise<void> {
    for (let asked = process.hrtime.bigint(); asked < end; asked = process.hrtime.bigint()) {
      const given = await ask();
      latency.record(Math.max(1, Number(process.hrtime.bigint() - asked)));
      if (given.length !== setting.batch) {
        throw new InvalidOutput(`asked for ${setting.batch} ids, got ${given.length}`);
      }
      ids += given.length;
      calls++;
      if (kept.length < VALIDATED_IDS) kept.push(...given);
      // In a service, each call belongs to a request of its own: return to the event loop before the next.
      await turn();
    }
  }

  await Promise.all(Array.from({ length: setting.concurrency }, caller));
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  validate(kept, kept.length, format);
  return {
    ...setting,
    idsPerSecond: ids / seconds,
    p50: latency.percentile(50),
    p99: latency.percentile(99),
    max: latency.max,
    calls,
  };
}
