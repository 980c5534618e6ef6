import { setImmediate as turn } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { BenchCase, IdFormat, Subject } from '../cases/case.js';
import type { LoopSetting } from '../schema/figures.js';
import { caseJob } from '../worker/job.js';
import { noLatencies, percentile, record } from './latencies.js';
import { warmUp } from './pacing.js';
import { InvalidOutput, validate } from './validate.js';

export interface LoopRequest {
  readonly settings: readonly LoopSetting[];
  /** Milliseconds per setting, after warming up. */
  readonly measureMs: number;
}

/** One closed loop in one process. Latencies are nanoseconds per call. */
export interface LoopMeasure {
  readonly idsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** By key: see `Subject`. */
  readonly firstUses?: number | undefined;
}

const WARM_UP_BLOCK_MS = 25;
/** Ids of a loop that are checked after it. */
export const VALIDATED_IDS = 1_000;

/** Callers that call again as soon as `ask` resolves, with how many ids it got; for `ms` milliseconds. */
export async function closedLoop(
  callers: number,
  ms: number,
  ask: () => Promise<number>,
): Promise<LoopMeasure> {
  const latencies = noLatencies();
  const start = process.hrtime.bigint();
  const end = start + BigInt(Math.round(ms * 1e6));
  let ids = 0;

  async function caller(): Promise<void> {
    for (let asked = process.hrtime.bigint(); asked < end; asked = process.hrtime.bigint()) {
      const given = await ask();
      ids += given;
      record(latencies, Number(process.hrtime.bigint() - asked));
      // In a service, each call belongs to a request of its own: return to the event loop before the next.
      await turn();
    }
  }

  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const [p50, p99] = [percentile(latencies, 50) ?? 0, percentile(latencies, 99) ?? 0];
  return { idsPerSecond: ids / seconds, p50, p99 };
}

/** Closed loops of `next` and `nextBatch`. */
export async function runClosedLoops(
  subject: Subject,
  { format }: BenchCase,
  { settings, measureMs }: LoopRequest,
): Promise<LoopMeasure[]> {
  const measures: LoopMeasure[] = [];
  for (const { concurrency, batch } of settings) {
    const ask = askerOf(subject, batch);
    validate((await Promise.all(Array.from({ length: 10 }, ask))).flat(), 10 * batch, format);
    const loop = (ms: number) => validatedLoop(concurrency, ms, ask, { batch, format });
    await warmUp(async () => [1 / (await loop(WARM_UP_BLOCK_MS)).idsPerSecond], {
      minBlocks: 2,
      maxBlocks: 8,
    });
    globalThis.gc?.();
    subject.firstUses?.();
    measures.push({ ...(await loop(measureMs)), firstUses: subject.firstUses?.() });
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

async function validatedLoop(
  callers: number,
  ms: number,
  ask: Ask,
  { batch, format }: { readonly batch: number; readonly format: IdFormat },
): Promise<LoopMeasure> {
  const kept: Id[] = [];
  const measure = await closedLoop(callers, ms, async () => {
    const given = await ask();
    if (given.length !== batch) throw new InvalidOutput(`asked for ${batch} ids, got ${given.length}`);
    if (kept.length < VALIDATED_IDS) kept.push(...given);
    return batch;
  });
  validate(kept, kept.length, format);
  return measure;
}
