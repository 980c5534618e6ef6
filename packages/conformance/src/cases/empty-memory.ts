import { isIdError, isSyncGenerator, type SyncIdGenerator } from '@ids/core';
import type { ConformanceSubject } from '../subject.js';
import { withGenerator } from './conformance-case.js';

const ROUNDS = 3;

/** The most ids that are taken to empty the memory of a generator. */
const MOST = 1_000_000;

/** One round: `ready()`, then synchronous calls until nothing is in memory. */
export interface EmptiedRound {
  /** What `nextSync` threw right after `ready()`. */
  readonly whenReady?: unknown;
  /** `health().remaining` before the calls; undefined if the generator needs no backend for ids. */
  readonly remaining: number | undefined;
  /** Ids of the calls after that, which ended when one was refused, or at one more than `remaining`. */
  readonly given: number;
  /** Milliseconds that the last call took. */
  readonly lastCallMs: number;
}

const runs = new WeakMap<ConformanceSubject, Promise<readonly EmptiedRound[]>>();

/** Rounds of one generator, shared by several cases; none if it has no synchronous calls. */
export function emptiedRounds(subject: ConformanceSubject): Promise<readonly EmptiedRound[]> {
  const known = runs.get(subject);
  if (known !== undefined) return known;
  const run = withGenerator(subject, async (generator) => {
    const rounds: EmptiedRound[] = [];
    if (!isSyncGenerator(generator)) return rounds;
    while (rounds.length < ROUNDS) {
      await generator.ready();
      rounds.push(emptyMemory(generator));
    }
    return rounds;
  });
  runs.set(subject, run);
  return run;
}

/** Without a turn of the event loop: no backend can deliver meanwhile. */
function emptyMemory(generator: SyncIdGenerator): EmptiedRound {
  const first = timed(() => generator.nextSync());
  const { remaining } = generator.health();
  const base = { remaining, ...('error' in first && { whenReady: first.error }) };
  if (remaining === undefined || remaining > MOST) return { ...base, given: 0, lastCallMs: first.ms };
  let given = 0;
  const bulk = timed(() => generator.nextBatchSync(remaining));
  if (!('error' in bulk)) given += remaining;
  for (;;) {
    const last = timed(() => generator.nextSync());
    if (!('error' in last)) given += 1;
    if ('error' in last || given > remaining) return { ...base, given, lastCallMs: last.ms };
  }
}

function timed(call: () => unknown): { readonly ms: number; readonly error?: unknown } {
  const start = performance.now();
  try {
    call();
    return { ms: performance.now() - start };
  } catch (error) {
    if (!isIdError(error) || error.code !== 'ERR_IDS_NOT_READY') throw error;
    return { ms: performance.now() - start, error };
  }
}
