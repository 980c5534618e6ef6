import { type Id, isIdError } from '@ids/core';
import type { Subject } from '../cases/case.js';
import type { Pacer } from './pacing.js';

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

  /** Whether there were as many ids as a burst takes. */
  function burst(take: () => Id): boolean {
    const start = process.hrtime.bigint();
    let taken = 0;
    try {
      for (; taken < IDS_PER_BURST; taken++) kept[taken] = take();
      return true;
    } catch (error) {
      if (isIdError(error) && error.code === 'ERR_IDS_NOT_READY') return false;
      throw error;
    } finally {
      ns += Number(process.hrtime.bigint() - start);
      ids += taken;
    }
  }

  /** Takes ids until there are none; false if there still are after `ms` milliseconds. */
  async function drain(take: () => Id): Promise<boolean> {
    const end = ns + ms * 1e6;
    do {
      await pacer.room(IDS_PER_BURST);
      if (!burst(take)) return true;
    } while (ns < end);
    return false;
  }

  // The first round only empties the buffer, and gives the engine time to compile.
  const beganEmpty = await drain(nextSync);
  let empty = beganEmpty;
  ids = 0;
  ns = 0;
  do {
    if (empty) {
      const asked = process.hrtime.bigint();
      await ready?.();
      ns += Number(process.hrtime.bigint() - asked);
    }
    empty = await drain(nextSync);
  } while (ns < ms * 1e6 || (beganEmpty && !empty && ns < LONGEST * ms * 1e6));
  return (1e9 * ids) / ns;
}
