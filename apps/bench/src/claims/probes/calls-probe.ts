import { isIdError } from '@ids/core';
import { Pacer } from '../../measure/pacer.js';
import { InvalidOutput } from '../../measure/validate.js';
import type { ProbeCase } from '../claim.js';
import { nowNs, settledMedian } from './timed-blocks.js';

/** Calls per timed burst, so that the clock's own cost vanishes. */
const CALLS = 1_000;

interface Calls {
  /** One call; `index` goes from 0 to 999 in each burst. What it returns is kept until the burst is over. */
  readonly call: (index: number) => unknown;
  /** What a call does besides what is measured: reads what that is given, and gives something back. */
  readonly reads?: (index: number) => unknown;
  /** What is wrong with the outputs of a burst, or `undefined`. Looked at outside of what is timed. */
  readonly problem: (outputs: readonly unknown[]) => string | undefined;
}

interface CallsCase {
  readonly name: string;
  /** Where calls issue ids, a ceiling of the format in ids per second and process: bursts stay below it. */
  readonly maxIdsPerSecond?: number;
  open(): Promise<Calls>;
}

/**
 * A synchronous function. Figure: `perCall`, without the loop that calls it and without `reads`, which
 * together take as long as some of what is called.
 */
export function callsProbe({ name, maxIdsPerSecond, open }: CallsCase): ProbeCase {
  return burstProbe(name, async () => {
    const { call, reads = (index) => index, problem } = await open();
    const pacer = new Pacer(maxIdsPerSecond);
    const outputs = new Array<unknown>(CALLS).fill(undefined);
    const read = new Array<unknown>(CALLS).fill(undefined);
    const burst = async () => {
      await pacer.room(CALLS);
      const besides = readsNs(reads, read);
      return (callsNs(call, outputs) - besides) / CALLS;
    };
    return { burst, check: () => problem(outputs) };
  });
}

// Functions of their own: a loop in an async function takes engines longer. And two of them, though they say
// the same: engines put into a loop what is called there only while that is always the same.

function callsNs(call: (index: number) => unknown, outputs: unknown[]): number {
  const start = nowNs();
  for (let i = 0; i < CALLS; i++) outputs[i] = call(i);
  return Number(nowNs() - start);
}

function readsNs(reads: (index: number) => unknown, read: unknown[]): number {
  const start = nowNs();
  for (let i = 0; i < CALLS; i++) read[i] = reads(i);
  return Number(nowNs() - start);
}

interface BatchCase {
  readonly name: string;
  /** A ceiling of the format in ids per second and process: bursts stay below it. */
  readonly maxIdsPerSecond?: number;
  open(): Promise<Batches>;
}

interface Batches {
  /** Gives as many items as it is asked for, or throws `ERR_IDS_NOT_READY`. */
  readonly batch: (count: number) => readonly unknown[];
  /** Resolves once the batch that was refused can be given. */
  readonly ready?: () => Promise<void>;
}

/** Batches of 1,000. Figure: `perCall`, which is per item. */
export function batchProbe({ name, maxIdsPerSecond, open }: BatchCase): ProbeCase {
  return burstProbe(name, async () => {
    const { batch, ready } = await open();
    const pacer = new Pacer(maxIdsPerSecond);
    let items: readonly unknown[] = [];
    const timed = () => {
      const start = nowNs();
      items = batch(CALLS);
      return Number(nowNs() - start) / CALLS;
    };
    const burst = async () => {
      await pacer.room(CALLS);
      try {
        return timed();
      } catch (error) {
        if (!isIdError(error) || error.code !== 'ERR_IDS_NOT_READY') throw error;
        await ready?.();
        return timed();
      }
    };
    const check = () => {
      const different = new Set(items).size;
      return different === CALLS ? undefined : `a batch of ${CALLS} had ${different} different ids`;
    };
    return { burst, check };
  });
}

interface AwaitsCase {
  readonly name: string;
  open(): Promise<() => Promise<unknown>>;
}

/** An asynchronous function, awaited call after call. Figure: `perCall`. */
export function awaitsProbe({ name, open }: AwaitsCase): ProbeCase {
  return burstProbe(name, async () => {
    const call = await open();
    let last: unknown;
    const burst = async () => {
      const start = nowNs();
      for (let i = 0; i < CALLS; i++) last = await call();
      return Number(nowNs() - start) / CALLS;
    };
    return { burst, check: () => (last === undefined ? 'resolved with nothing' : undefined) };
  });
}

interface Burst {
  /** Nanoseconds per call of a burst. */
  readonly burst: () => number | Promise<number>;
  readonly check: () => string | undefined;
}

function burstProbe(name: string, open: () => Promise<Burst>): ProbeCase {
  return {
    name,
    backends: [],
    async open() {
      const { burst, check } = await open();
      const assertSound = () => {
        const problem = check();
        if (problem !== undefined) throw new InvalidOutput(problem);
      };
      return {
        async measure(ms) {
          await burst();
          assertSound();
          const perCall = await settledMedian(burst, ms);
          assertSound();
          return { perCall };
        },
        close: async () => {},
      };
    },
  };
}
