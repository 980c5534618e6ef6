import type { Reigns, Skips } from '@ids/store';

/**
 * How many ids a former primary skips when it becomes the primary again; null where a human has to decide.
 * Each reign that followed it began by as many ids above the row as a failover skips. How many the latest has
 * reserved since, and goes on to reserve if it still answers, nobody knows for sure: as many as either option
 * allows for.
 */
export function skipToReinstate({ failover, restore }: Skips, follows: Reigns): number | null {
  return failover === null || restore === null
    ? null
    : failover * follows.length + Math.max(failover, restore);
}
