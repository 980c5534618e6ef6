import { setTimeout as delay } from 'node:timers/promises';
import { type Id, isIdError } from '@ids/core';
import type { BenchCase, Subject } from '../cases/case.js';
import type { Pace, SlowdownResult } from '../schema/figures.js';
import { findCase, type Job } from '../worker/job.js';
import { Pacer } from './pacing.js';

export interface SlowdownRequest {
  /** How long to leave the generator alone between the first ids and the later ones. */
  readonly restMs: number;
}

const IDS_PER_BURST = 1_000;
const BURSTS = 40;
const CALLERS = 16;
const ROUNDS = 40;
/** Milliseconds for each of the two ways to ask; but at least one burst and one round. */
const LONGEST_MS = 80;
/** What is taken in between, whichever is reached first. */
const TAKEN = { ids: 2_000_000, ms: 300 };

/**
 * Asks one process for ids twice: as soon as it has started, and when it is older and has issued many. Each
 * time the best of many short rounds counts, which other programs can hardly disturb.
 */
export const slowdownJob: Job<SlowdownRequest, SlowdownResult> = {
  module: import.meta.url,
  name: 'slowdownJob',
  async open({ restMs }, ref) {
    const [benchCase, environment] = await findCase<BenchCase>('cases', ref);
    const subject = await benchCase.open(environment);
    await subject.ready?.();
    const pacer = new Pacer(benchCase.maxIdsPerSecond);
    const start = performance.now();
    const first = await paceOf(subject, pacer);
    return {
      async run() {
        await delay(Math.max(0, start + restMs - performance.now()));
        const taken = await takeMany(subject, pacer);
        const afterMs = performance.now() - start;
        return { first, later: await paceOf(subject, pacer), afterMs, taken };
      },
      close: () => subject.close(),
    };
  },
};

/** The best of many short rounds, for each way to ask that the subject has. */
async function paceOf({ nextSync, next, ready }: Subject, pacer: Pacer): Promise<Pace> {
  const sync = nextSync && (await best(BURSTS, () => burst(nextSync, ready, pacer)));
  const waiting = next && (await best(ROUNDS, () => round(next, pacer)));
  return { ...(sync !== undefined && { sync }), ...(waiting !== undefined && { waiting }) };
}

async function best(times: number, nsPerId: () => Promise<number>): Promise<number> {
  const end = performance.now() + LONGEST_MS;
  let least = await nsPerId();
  for (let i = 1; i < times && performance.now() < end; i++) least = Math.min(least, await nsPerId());
  return least;
}

const kept = new Array<Id>(IDS_PER_BURST).fill(0);

/** Nanoseconds per id, without the waits for ids that are fetched. */
async function burst(take: () => Id, ready: Subject['ready'], pacer: Pacer): Promise<number> {
  await pacer.room(IDS_PER_BURST);
  for (;;) {
    const start = process.hrtime.bigint();
    let taken = 0;
    try {
      for (; taken < IDS_PER_BURST; taken++) kept[taken] = take();
      return Number(process.hrtime.bigint() - start) / IDS_PER_BURST;
    } catch (error) {
      if (!isNotReady(error)) throw error;
      await ready?.();
    }
  }
}

/** Nanoseconds per id of so many callers at once. */
async function round(next: () => Promise<Id>, pacer: Pacer): Promise<number> {
  await pacer.room(CALLERS);
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: CALLERS }, next));
  return Number(process.hrtime.bigint() - start) / CALLERS;
}

/** One by one, as fast as they come; resolves with how many there were. */
async function takeMany({ nextSync, next, ready }: Subject, pacer: Pacer): Promise<number> {
  const end = performance.now() + TAKEN.ms;
  let taken = 0;
  while (taken < TAKEN.ids && performance.now() < end) {
    if (nextSync !== undefined) {
      await burst(nextSync, ready, pacer);
      taken += IDS_PER_BURST;
    } else if (next !== undefined) {
      await round(next, pacer);
      taken += CALLERS;
    }
  }
  return taken;
}

function isNotReady(error: unknown): boolean {
  return isIdError(error) && error.code === 'ERR_IDS_NOT_READY';
}
