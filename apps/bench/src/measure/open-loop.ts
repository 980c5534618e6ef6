import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { BenchCase, Subject } from '../bench-case.js';
import { validate } from './validate.js';

export interface OpenLoopRequest {
  /** Calls per second, one measure for each. */
  readonly rates: readonly number[];
  /** Milliseconds per rate, after as long a warm-up at the first one. */
  readonly ms: number;
}

/** The percentiles that are kept. */
export const PERCENTILES = [50, 75, 90, 99, 99.9] as const;

/** Below this many calls nothing is said about the slowest thousandth. */
const CALLS_FOR_P999 = 10_000;

export interface OpenLoopMeasure {
  readonly rate: number;
  readonly calls: number;
  /**
   * Nanoseconds from when a call was meant to start, at `PERCENTILES`; `null` where the
   * calls are too few to say.
   */
  readonly latency: readonly (number | null)[];
  readonly max: number;
  /** The calls piled up: what was meant to be asked for was more than could be served. */
  readonly overloaded: boolean;
}

/** More calls than this that are not answered are a queue without end. */
const MAX_WAITING = 20_000;
const VALIDATED_IDS = 1_000;
const LONGEST_NS = 60_000_000_000;

/**
 * Asks at fixed times whether earlier calls were answered or not, as callers do who know nothing of each
 * other. Latency counts from the intended start, so a stall is felt by all who would have asked meanwhile.
 */
export async function runOpenLoop(
  subject: Subject,
  { format }: BenchCase,
  { rates, ms }: OpenLoopRequest,
): Promise<OpenLoopMeasure[]> {
  const { next } = subject;
  if (next === undefined) throw new Error('there is no next to measure');
  const kept: Id[] = [];
  await askAt(next, rates[0] ?? 1, ms / 2, kept);
  const measures: OpenLoopMeasure[] = [];
  for (const rate of rates) {
    globalThis.gc?.();
    measures.push(await askAt(next, rate, ms, kept));
  }
  validate(kept, kept.length, format);
  return measures;
}

async function askAt(
  next: () => Promise<Id>,
  rate: number,
  ms: number,
  kept: Id[],
): Promise<OpenLoopMeasure> {
  const latency = createHistogram({ lowest: 1, highest: LONGEST_NS, figures: 3 });
  const calls = Math.max(1, Math.floor((rate * ms) / 1_000));
  const nsPerCall = 1e9 / rate;
  const start = process.hrtime.bigint();
  const since = () => Number(process.hrtime.bigint() - start);
  let asked = 0;
  let waiting = 0;
  let failure: unknown;

  async function call(intended: number): Promise<void> {
    waiting++;
    try {
      const id = await next();
      latency.record(Math.max(1, Math.round(since() - intended)));
      if (kept.length < VALIDATED_IDS) kept.push(id);
    } catch (error) {
      failure ??= error;
    } finally {
      waiting--;
    }
  }

  let overloaded = false;
  while (asked < calls && failure === undefined && !overloaded) {
    const due = Math.min(calls, Math.floor(since() / nsPerCall) + 1);
    while (asked < due) void call(asked++ * nsPerCall);
    overloaded = waiting > MAX_WAITING;
    await turn();
  }
  while (waiting > 0) await turn();
  if (failure !== undefined) throw failure;
  return { rate, calls: asked, latency: percentilesOf(latency), max: latency.max, overloaded };
}

function percentilesOf(latency: RecordableHistogram): (number | null)[] {
  return PERCENTILES.map((percentile) =>
    percentile > 99 && latency.count < CALLS_FOR_P999 ? null : latency.percentile(percentile),
  );
}
