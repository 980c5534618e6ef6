import { createHistogram } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { BenchCase, IdFormat, Subject } from '../bench-case.js';
import { InvalidOutput, validate } from './validate.js';
import { warmUp } from './warm-up.js';

/** How many callers ask at a time, and for how many ids each. */
export interface LoopSetting {
  readonly concurrency: number;
  /** 1: by `next`; more: by `nextBatch`. */
  readonly batch: number;
}

export interface LoopRequest {
  readonly settings: readonly LoopSetting[];
  /** Milliseconds per setting, after warming up. */
  readonly measureMs: number;
}

export interface LoopMeasure extends LoopSetting {
  readonly idsPerSecond: number;
  /** Nanoseconds per call, from asking to having. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly calls: number;
}

export interface LoopTrial {
  readonly measures: readonly LoopMeasure[];
}

const WARM_UP_BLOCK_MS = 25;
const VALIDATED_IDS = 1_000;
const LONGEST_CALL_NS = 60_000_000_000;

/** Measures `next` and `nextBatch` with callers that ask again as soon as they have been served. */
export async function runClosedLoops(
  subject: Subject,
  { format }: BenchCase,
  { settings, measureMs }: LoopRequest,
): Promise<LoopTrial> {
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
  return { measures };
}

type Ask = () => Promise<Id[]>;

function askerOf(subject: Subject, batch: number): Ask {
  const { next, nextBatch } = subject;
  if (next === undefined || nextBatch === undefined) throw new Error('there is no next to measure');
  return batch === 1 ? async () => [await next()] : () => nextBatch(batch);
}

async function loop(ask: Ask, setting: LoopSetting, ms: number, format: IdFormat): Promise<LoopMeasure> {
  const latency = createHistogram({ lowest: 1, highest: LONGEST_CALL_NS, figures: 3 });
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
      // A caller is a request of its own: it goes back to the event loop before the next one comes.
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
