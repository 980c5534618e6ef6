import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { type Id, isIdError } from '@ids/core';
import type { BenchCase, IdFormat, Subject } from '../cases/case.js';
import type { LoopMeasure, LoopSetting } from '../schema/figures.js';
import { caseJob, type Job } from '../worker/job.js';
import { warmUp } from './pacing.js';
import { InvalidOutput, validate } from './validate.js';

export interface LoopRequest {
  readonly settings: readonly LoopSetting[];
  /** Milliseconds per setting, after warming up. */
  readonly measureMs: number;
}

const WARM_UP_BLOCK_MS = 25;
/** Ids of a loop that are checked after it. */
const VALIDATED_IDS = 1_000;
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

export interface OpenLoopRequest {
  /** Calls per second, one measure for each. */
  readonly rates: readonly number[];
  /** Milliseconds per rate, after half as long a warm-up at the first one. */
  readonly ms: number;
  /**
   * Counts calls that failed instead of rejecting with the first error, and asks `nextSync` first, if there
   * is one.
   */
  readonly asService?: boolean;
}

/** The percentiles that are recorded. */
export const PERCENTILES = [50, 75, 90, 99, 99.9] as const;

/** With fewer calls, p99.9 would be meaningless. */
export const CALLS_FOR_P999 = 10_000;

export interface OpenLoopMeasure {
  readonly rate: number;
  readonly calls: number;
  /** Nanoseconds from the intended start of a call, at `PERCENTILES`; `null` if there were too few calls. */
  readonly latency: readonly (number | null)[];
  readonly max: number;
  /** Calls that failed. */
  readonly errors: number;
  /** Calls per second, from the first to the last answer. */
  readonly achieved: number;
  /** Calls piled up: the intended rate was more than the subject could serve. */
  readonly overloaded: boolean;
}

/** How long before a call is due the loop is awake, in milliseconds. */
const AWAKE_MS = 2;

/** With more unanswered calls than this, the queue only grows. */
const MAX_WAITING = 20_000;

/**
 * Open loops: calls at fixed times, whether or not earlier calls were answered, like independent callers.
 * Latency counts from the intended start, so a stall counts for all calls that were due during it.
 */
export async function runOpenLoop(
  subject: Subject,
  { format }: Pick<BenchCase, 'format'>,
  { rates, ms, asService = false }: OpenLoopRequest,
): Promise<OpenLoopMeasure[]> {
  const { next, nextSync } = subject;
  if (next === undefined) throw new Error('there is no next to measure');
  const kept: Id[] = [];
  const caller = { next, nextSync: asService ? nextSync : undefined, toleratesErrors: asService };
  await askAt(caller, rates[0] ?? 1, ms / 2, kept);
  const measures: OpenLoopMeasure[] = [];
  for (const rate of rates) {
    globalThis.gc?.();
    measures.push(await askAt(caller, rate, ms, kept));
  }
  validate(kept, kept.length, format);
  return measures;
}

export const openLoopJob = caseJob(import.meta.url, 'openLoopJob', runOpenLoop);

/** The same with ids that cost nothing: what the loop itself can do on this machine. */
export const emptyLoopJob: Job<OpenLoopRequest, OpenLoopMeasure[]> = {
  module: import.meta.url,
  name: 'emptyLoopJob',
  async open(request) {
    let last = 0;
    const subject = { next: async () => ++last, nextSync: () => ++last, close: async () => {} };
    const format = { idType: 'number', text: { pattern: /^\d+$/, maxLength: 16, sortable: false } } as const;
    return { run: () => runOpenLoop(subject, { format }, request) };
  },
};

interface Caller {
  readonly next: () => Promise<Id>;
  /** Asked first, if it is there; `next` if it has no id. */
  readonly nextSync: (() => Id) | undefined;
  readonly toleratesErrors: boolean;
}

async function askAt(
  { next, nextSync, toleratesErrors }: Caller,
  rate: number,
  ms: number,
  kept: Id[],
): Promise<OpenLoopMeasure> {
  const latency = latencyHistogram();
  const calls = Math.max(1, Math.floor((rate * ms) / 1_000));
  const nsPerCall = 1e9 / rate;
  const start = process.hrtime.bigint();
  const since = () => Number(process.hrtime.bigint() - start);
  let asked = 0;
  let waiting = 0;
  let errors = 0;
  let failure: unknown;

  function answered(id: Id, intended: number): void {
    latency.record(Math.max(1, Math.round(since() - intended)));
    if (kept.length < VALIDATED_IDS) kept.push(id);
  }

  /** Whether there was an id at once. */
  function callSync(intended: number): boolean {
    try {
      answered((nextSync as () => Id)(), intended);
      return true;
    } catch (error) {
      if (isIdError(error) && error.code === 'ERR_IDS_NOT_READY') return false;
      errors++;
      failure ??= error;
      return true;
    }
  }

  async function call(intended: number): Promise<void> {
    if (nextSync !== undefined && callSync(intended)) return;
    waiting++;
    try {
      answered(await next(), intended);
    } catch (error) {
      errors++;
      failure ??= error;
    } finally {
      waiting--;
    }
  }

  let overloaded = false;
  const goOn = () => failure === undefined || toleratesErrors;
  while (asked < calls && goOn() && !overloaded) {
    const due = Math.min(calls, Math.floor(since() / nsPerCall) + 1);
    while (asked < due) void call(asked++ * nsPerCall);
    overloaded = waiting > MAX_WAITING;
    const restMs = (asked * nsPerCall - since()) / 1e6;
    // Another process may need the core. Timers are late by up to a millisecond or so.
    if (restMs > AWAKE_MS) await delay(restMs - AWAKE_MS);
    else await turn();
  }
  while (waiting > 0) await turn();
  if (failure !== undefined && !toleratesErrors) throw failure;
  return {
    rate,
    calls: asked,
    latency: percentilesOf(latency),
    max: latency.max,
    errors,
    achieved: (1e9 * (asked - errors)) / since(),
    overloaded,
  };
}

function percentilesOf(latency: RecordableHistogram): (number | null)[] {
  return PERCENTILES.map((percentile) =>
    percentile > 99 && latency.count < CALLS_FOR_P999 ? null : latency.percentile(percentile),
  );
}
