import { setTimeout as sleep } from 'node:timers/promises';
import { IdError } from '@ids/core';
import { meet, type Reinstating } from '@ids/segment';
import { withTimeout } from '@ids/waiting';
import { LOOK_EVERY_MS, LOOK_TIMEOUT_MS } from './time-limits.js';

export interface Looking extends Omit<Reinstating, 'floor' | 'signal' | 'endsAt'> {
  readonly floor: () => number;
  /** Whether refills still fail because a former primary answers. */
  readonly isRefused: () => boolean;
  readonly signal: AbortSignal;
}

/**
 * Looks at a former primary that refused a refill. Refills come with calls, which may be rare, and only who
 * looks on sees that it still answers, or that its successor does. Resolves, never rejects: with true when
 * ids can be reserved there.
 */
export async function lookAtFormerPrimary({
  floor,
  isRefused,
  signal: ended,
  ...look
}: Looking): Promise<boolean> {
  for (;;) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: ended, ref: false }).catch(() => {});
    if (ended.aborted || !isRefused()) return false;
    const endsAt = performance.now() + LOOK_TIMEOUT_MS;
    const used = await withTimeout(LOOK_TIMEOUT_MS, ended, tooSlow, async (signal) => {
      await meet({ ...look, floor: floor(), endsAt, signal });
      return true;
    }).catch(() => false); // The refill that failed has said why.
    if (used) return true;
  }
}

function tooSlow(): IdError {
  return new IdError('ERR_IDS_TIMEOUT', 'the database did not answer');
}
