import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { BenchCase, Subject } from '../cases/case.js';
import { caseJob, type Job } from '../worker/job.js';
import { type Latencies, noLatencies, record } from './latencies.js';
import { VALIDATED_IDS } from './loops.js';
import { isNotReady } from './take.js';
import { validate } from './validate.js';

export interface OpenLoopRequest {
  /** Calls per second, one measure for each. */
  readonly rates: readonly number[];
  /** Milliseconds per rate. */
  readonly ms: number;
  /** Milliseconds of warm-up at the first rate; half of `ms` by default. */
  readonly warmUpMs?: number;
  /** Parts of equal length by which latencies are recorded; 1 by default. The calls go on without a pause. */
  readonly blocks?: number;
  /** Counts calls that failed instead of rejecting with the first error. */
  readonly asService?: boolean;
  /** Asks `nextSync`, and `next` only where no id is in memory; by default, `next` alone. */
  readonly syncFirst?: boolean;
}

export interface OpenLoopMeasure {
  readonly rate: number;
  readonly calls: number;
  /** From the intended start of a call, by the block in which it was to start; without failed calls. */
  readonly blocks: readonly Latencies[];
  /** Calls that failed. */
  readonly errors: number;
  /** Calls per second, from the first to the last answer. */
  readonly achieved: number;
  /** Calls piled up: the intended rate was more than the subject could serve. */
  readonly overloaded: boolean;
  /** Refills that arrived meanwhile; absent if the subject counts none. */
  readonly refills?: number;
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
  { rates, ms, warmUpMs = ms / 2, blocks = 1, asService = false, syncFirst = false }: OpenLoopRequest,
): Promise<OpenLoopMeasure[]> {
  const kept: Id[] = [];
  const how = { asService, syncFirst };
  await askAt(subject, { rate: rates[0] ?? 1, ms: warmUpMs, blocks: 1, ...how }, kept);
  const measures: OpenLoopMeasure[] = [];
  for (const rate of rates) {
    globalThis.gc?.();
    measures.push(await askAt(subject, { rate, ms, blocks, ...how }, kept));
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
    const subject = { next: async () => ++last, close: async () => {} };
    const format = { idType: 'number', text: { pattern: /^\d+$/, maxLength: 16, sortable: false } } as const;
    return { run: () => runOpenLoop(subject, { format }, request) };
  },
};

async function askAt(
  { next, nextSync, refills }: Subject,
  {
    rate,
    ms,
    blocks,
    asService,
    syncFirst,
  }: { readonly rate: number } & Required<Omit<OpenLoopRequest, 'rates' | 'warmUpMs'>>,
  kept: Id[],
): Promise<OpenLoopMeasure> {
  if (next === undefined) throw new Error('there is no next to measure');
  const nextNow = syncFirst ? nextSync : undefined;
  const latencies = Array.from({ length: blocks }, noLatencies);
  const calls = Math.max(1, Math.round((rate * ms) / 1_000));
  const nsPerCall = 1e9 / rate;
  const refillsBefore = refills?.() ?? 0;
  const start = process.hrtime.bigint();
  const since = () => Number(process.hrtime.bigint() - start);
  let asked = 0;
  let waiting = 0;
  let errors = 0;
  let failure: unknown;

  function answered(id: Id, intended: number): void {
    const took = since() - intended;
    record(latencies[Math.floor((blocks * intended) / (calls * nsPerCall))] as Latencies, took);
    if (kept.length < VALIDATED_IDS) kept.push(id);
  }

  async function call(intended: number): Promise<void> {
    waiting++;
    try {
      answered((nextNow && idOrNone(nextNow)) ?? (await (next as () => Promise<Id>)()), intended);
    } catch (error) {
      errors++;
      failure ??= error;
    } finally {
      waiting--;
    }
  }

  let overloaded = false;
  const goOn = () => failure === undefined || asService;
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
  if (!goOn()) throw failure;
  return {
    rate,
    calls: asked,
    blocks: latencies,
    errors,
    achieved: (1e9 * (asked - errors)) / since(),
    overloaded,
    ...(refills && { refills: refills() - refillsBefore }),
  };
}

/** `undefined` if there is none at once. */
function idOrNone(nextSync: () => Id): Id | undefined {
  try {
    return nextSync();
  } catch (error) {
    if (isNotReady(error)) return undefined;
    throw error;
  }
}
