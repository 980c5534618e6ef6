import { type CaseEnvironment, InvalidOutput, Pacer, type Preparable } from '@ids/bench/measure';
import { type Id, isIdError } from '@ids/core';
import { nowNs, type ProbeCase, settledMedian } from './probe.js';

/** Calls per timed burst: enough to make the cost of the clock negligible. */
const CALLS = 1_000;

export interface Calls {
  /** One call; `index` goes from 0 to 999 in each burst. Its result is kept until the burst ends. */
  readonly call: (index: number) => unknown;
  /** What `call` does in addition to the measured function: it reads the argument and returns something. */
  readonly reads?: (index: number) => unknown;
  /** What is wrong with the outputs of a burst, or `undefined`. Called outside of the timed section. */
  readonly problem: (outputs: readonly unknown[]) => string | undefined;
}

interface CallsCase {
  readonly name: string;
  /** If calls issue ids, the most per second and process that the format allows: bursts stay below it. */
  readonly maxIdsPerSecond?: number;
  open(): Promise<Calls>;
}

/**
 * A synchronous function. Figure: `perCall`, without the loop around it and without `reads`, which together
 * take as long as some of the functions.
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

// Separate functions, because engines run a loop in an async function more slowly. And two equal ones,
// because engines inline the function that a loop calls only while it is always the same.

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
  /** The most ids per second and process that the format allows: bursts stay below it. */
  readonly maxIdsPerSecond?: number;
  open(): Promise<Batches>;
}

interface Batches {
  /** Returns the requested number of items, or throws `ERR_IDS_NOT_READY`. */
  readonly batch: (count: number) => readonly unknown[];
  /** Resolves once the refused batch can be returned. */
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
      };
    },
  };
}

/**
 * Calls per caller and timed burst: enough to make its start and end, when fewer callers wait, negligible.
 */
const ROUNDS = 40;
/** For about fifty bursts of 256 callers in a full run. */
const PATIENCE = 2.5;

interface CallersCase extends Preparable {
  readonly callers: number;
  open(environment: CaseEnvironment): Promise<{ next(): Promise<Id>; close(): Promise<void> }>;
}

/**
 * Concurrent callers, each of which calls again as soon as it gets an answer. Figure: `perCall`, time over
 * calls.
 */
export function callersProbe({ callers, open, ...parts }: CallersCase): ProbeCase {
  return {
    ...parts,
    patience: PATIENCE,
    async open(environment) {
      const { next, close } = await open(environment);
      const rounds = Math.max(ROUNDS, Math.ceil(25 / callers));
      let last: Id[] = [];
      const burst = async () => {
        const ids: Id[] = [];
        const caller = async () => {
          for (let round = 0; round < rounds; round++) ids.push(await next());
        };
        const start = nowNs();
        await Promise.all(Array.from({ length: callers }, caller));
        const took = Number(nowNs() - start);
        last = ids;
        return took / ids.length;
      };
      return {
        async measure(ms) {
          const perCall = await settledMedian(burst, ms);
          const different = new Set(last).size;
          if (different !== callers * rounds) {
            throw new InvalidOutput(`${callers * rounds} calls gave ${different} different ids`);
          }
          return { perCall };
        },
        close,
      };
    },
  };
}

/** Strings as a network or a file returns them: in one piece, not as the concatenation that made them. */
export function inOnePiece(texts: readonly string[]): readonly string[] {
  return JSON.parse(JSON.stringify(texts)) as string[];
}
