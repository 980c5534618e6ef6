import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import type { Id, IdGenerator, KeyedIdGenerator } from '@ids/core';
import { type History, monotonicNow, type RecordedCall } from './history.js';

/** The load on one generator. */
export interface CallPlan {
  /** Concurrent callers; each waits for its call to settle before it makes the next one. */
  readonly callers: number;
  /** Calls per caller; without it the callers continue until they are stopped. */
  readonly perCaller?: number;
  /**
   * Ids per call: `nextBatch(batch)` instead of `next()`. The calls of a generator take the entries of a list
   * by turns.
   */
  readonly batch?: number | readonly (number | 'next')[];
  /** For a keyed generator: the calls take these keys by turns. */
  readonly keys?: readonly string[];
  /** Milliseconds that a caller pauses between two calls; 0 by default. */
  readonly pauseMs?: number;
  /** Records rejected calls and continues; without it the first rejection ends the run and is thrown. */
  readonly tolerateErrors?: boolean;
  /** Milliseconds after which a call counts as unsettled, and its caller gives up; 30,000 by default. */
  readonly settleWithinMs?: number;
}

export interface RecordCallsOptions extends CallPlan {
  /** The number of the generator in the records. */
  readonly process: number;
  /** Ends the run; pending calls are still recorded. */
  readonly signal?: AbortSignal;
}

/** The default time limit of a call, in milliseconds. */
export const SETTLE_WITHIN_MS = 30_000;

/**
 * A caller pauses this long, in milliseconds, after a failed call: a dead backend must not cause a busy loop.
 */
const PAUSE_AFTER_ERROR_MS = 5;

/** Calls after which a caller yields to timers and messages: a generator without I/O would starve them. */
const CALLS_PER_TURN = 64;

/**
 * Calls `generator` according to the plan and records each call in `history` as it settles. With `keys`, it
 * must be a keyed one.
 */
export async function recordCalls(
  generator: IdGenerator | KeyedIdGenerator,
  history: History,
  options: RecordCallsOptions,
): Promise<void> {
  const {
    process,
    signal,
    keys,
    batch = 'next',
    perCaller = Number.POSITIVE_INFINITY,
    pauseMs = 0,
  } = options;
  const sizes: readonly (number | 'next')[] = typeof batch === 'object' ? batch : [batch];
  const failed = new AbortController();
  const stopped = AbortSignal.any(signal === undefined ? [failed.signal] : [signal, failed.signal]);
  let calls = 0;

  function request(key: string | undefined, size: number | 'next'): Promise<Id[]> {
    if (key === undefined) {
      const one = generator as IdGenerator;
      return size === 'next' ? one.next().then((id) => [id]) : one.nextBatch(size);
    }
    const keyed = generator as KeyedIdGenerator;
    return size === 'next' ? keyed.next(key).then((id) => [id]) : keyed.nextBatch(key, size);
  }

  async function caller(): Promise<void> {
    for (let made = 1; made <= perCaller && !stopped.aborted; made++) {
      const key = keys?.[calls % keys.length];
      const size = sizes[calls % sizes.length] ?? 'next';
      const call: RecordedCall = {
        process,
        call: ++calls,
        invoke: monotonicNow(),
        ...(key !== undefined && { key }),
      };
      const outcome = await settle(request(key, size), options.settleWithinMs ?? SETTLE_WITHIN_MS);
      const complete = monotonicNow();
      if (outcome === undefined) {
        history.unsettled.push(call);
        return;
      }
      if ('ids' in outcome) history.records.push({ ...call, complete, ids: outcome.ids });
      else {
        if (options.tolerateErrors !== true) throw outcome.error;
        history.failures.push({ ...call, complete, ...describeError(outcome.error) });
      }
      const rest = 'ids' in outcome ? pauseMs : Math.max(pauseMs, PAUSE_AFTER_ERROR_MS);
      if (rest > 0) await pause(rest, undefined, { signal: stopped }).catch(() => undefined);
      else if (made % CALLS_PER_TURN === 0) await setImmediate();
    }
  }

  const callers = Array.from({ length: options.callers }, caller);
  for (const done of callers) done.catch(() => failed.abort());
  const results = await Promise.allSettled(callers);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

type Outcome = { readonly ids: readonly Id[] } | { readonly error: unknown };

/** The outcome of `promise`, or undefined if it is still pending after `ms`. Never rejects. */
function settle(promise: Promise<Id[]>, ms: number): Promise<Outcome | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, undefined);
    const end = (outcome: Outcome): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    promise.then(
      (ids) => end({ ids }),
      (error: unknown) => end({ error }),
    );
  });
}

function describeError(error: unknown): { readonly code: string | undefined; readonly message: string } {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return { code: typeof code === 'string' ? code : undefined, message: String(message ?? error) };
}
