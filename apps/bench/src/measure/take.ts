import { type Id, isIdError } from '@ids/core';
import type { Subject } from '../cases/case.js';
import type { Pacer } from './pacing.js';

export function isNotReady(error: unknown): boolean {
  return isIdError(error) && error.code === 'ERR_IDS_NOT_READY';
}

/** Takes ids one by one until there are `count`, and waits whenever there are none. */
export async function takeSync(
  nextSync: () => Id,
  { ready }: Pick<Subject, 'ready'>,
  ids: Id[],
  count: number,
): Promise<void> {
  while (ids.length < count) {
    try {
      ids.push(nextSync());
    } catch (error) {
      if (!isNotReady(error)) throw error;
      await ready?.();
    }
  }
}

/** After so many attempts in a row, a buffer is considered too small for the ids of one attempt. */
const MAX_ATTEMPTS = 1_000;

/**
 * How many nanoseconds the first call of `ask` took that found all of its `ids`. Waits after each that did
 * not.
 */
export async function timedWhole(
  { ready }: Pick<Subject, 'ready'>,
  pacer: Pacer,
  ids: number,
  ask: () => unknown,
): Promise<number> {
  for (let attempts = 0; ; attempts++) {
    try {
      await pacer.room(ids);
      const start = process.hrtime.bigint();
      const asked = ask();
      if (asked instanceof Promise) await asked;
      return Number(process.hrtime.bigint() - start);
    } catch (error) {
      if (attempts > MAX_ATTEMPTS || !isNotReady(error)) throw error;
      await ready?.();
    }
  }
}

/** Ids between two looks at the clock, and between two at the limit of the format. */
const IDS_PER_BURST = 1_000;
/** A buffer may run dry only long after the time is up; this many times the time is enough for any figure. */
const LONGEST = 10;

/**
 * Ids per second of `nextSync`, one by one, with the time that it waited for ids to be fetched. From one
 * moment at which the buffer was empty to another, at least `ms` milliseconds later: ids that were fetched
 * before the measurement do not count, and none are left that were fetched during it. A buffer that `ms`
 * milliseconds do not empty is measured for just as long.
 */
export async function measureSustained(
  { nextSync, ready }: Pick<Subject, 'nextSync' | 'ready'>,
  pacer: Pacer,
  ms: number,
): Promise<number> {
  if (nextSync === undefined) throw new Error('there is no nextSync to measure');
  const kept = new Array<Id>(IDS_PER_BURST).fill(0);
  let ids = 0;
  let ns = 0;

  async function timed(work: () => unknown): Promise<void> {
    const start = process.hrtime.bigint();
    try {
      const asked = work();
      if (asked instanceof Promise) await asked;
    } finally {
      ns += Number(process.hrtime.bigint() - start);
    }
  }

  function burst(take: () => Id): void {
    for (let i = 0; i < IDS_PER_BURST; i++, ids++) kept[i] = take();
  }

  /** Takes ids for `limitMs` milliseconds; true as soon as there are none. */
  async function emptied(limitMs: number): Promise<boolean> {
    for (const end = ns + limitMs * 1e6; ns < end; ) {
      await pacer.room(IDS_PER_BURST);
      try {
        await timed(() => burst(nextSync as () => Id));
      } catch (error) {
        if (isNotReady(error)) return true;
        throw error;
      }
    }
    return false;
  }

  // The first round only empties the buffer, and gives the engine time to compile.
  const empties = await emptied(ms);
  let empty = empties;
  [ids, ns] = [0, 0];
  do {
    if (empty) await timed(async () => ready?.());
    empty = await emptied(ms);
  } while (ns < ms * 1e6 || (empties && !empty && ns < LONGEST * ms * 1e6));
  return (1e9 * ids) / ns;
}
