import { setTimeout as delay } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { BenchCase, Subject } from '../cases/case.js';
import type { Pace, SlowdownResult } from '../schema/figures.js';
import { findCase, type Job } from '../worker/job.js';
import { Pacer } from './pacing.js';
import { USES } from './sync-bursts.js';
import { timedWhole } from './take.js';

export interface SlowdownRequest {
  /** How long to leave the generator alone between the first ids and the later ones. */
  readonly restMs: number;
}

const IDS_PER_BURST = 1_000;
const CALLERS = 16;
const ROUNDS = 40;
/** Milliseconds for each of the two ways to ask; but at least one round. */
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
    const ways = waysOf(subject, new Pacer(benchCase.maxIdsPerSecond));
    const start = performance.now();
    const first = await paceOf(ways);
    return {
      async run() {
        await delay(Math.max(0, start + restMs - performance.now()));
        const taken = await takeMany(ways);
        const afterMs = performance.now() - start;
        return { first, later: await paceOf(ways), afterMs, taken };
      },
      close: () => subject.close(),
    };
  },
};

/** A way to ask: the ids of a round, and how many nanoseconds it took without the waits for them. */
interface Way {
  readonly way: keyof Pace;
  readonly ids: number;
  round(): Promise<number>;
}

function waysOf(subject: Subject, pacer: Pacer): Way[] {
  const { nextSync, next } = subject;
  const kept = new Array<Id>(IDS_PER_BURST).fill(0);
  const wayOf = (way: keyof Pace, ids: number, ask: () => unknown): Way => {
    return { way, ids, round: () => timedWhole(subject, pacer, ids, ask) };
  };
  return [
    ...(nextSync ? [wayOf('sync', IDS_PER_BURST, () => USES.raw.run(nextSync, kept))] : []),
    ...(next ? [wayOf('waiting', CALLERS, () => Promise.all(Array.from({ length: CALLERS }, next)))] : []),
  ];
}

/** The best of many short rounds, for each way to ask. */
async function paceOf(ways: readonly Way[]): Promise<Pace> {
  const paces: [string, number][] = [];
  for (const { way, ids, round } of ways) {
    const end = performance.now() + LONGEST_MS;
    let least = await round();
    for (let i = 1; i < ROUNDS && performance.now() < end; i++) least = Math.min(least, await round());
    paces.push([way, least / ids]);
  }
  return Object.fromEntries(paces);
}

/** As fast as they come; resolves with how many there were. */
async function takeMany([way]: readonly Way[]): Promise<number> {
  const end = performance.now() + TAKEN.ms;
  let taken = 0;
  for (; way && taken < TAKEN.ids && performance.now() < end; taken += way.ids) await way.round();
  return taken;
}
