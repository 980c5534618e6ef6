import { LANES, type Reigns, type RowLoss, type Skips, skipAfter } from '@ids/store';

const DAY_SECONDS = 86_400;

/**
 * How many ids a former primary skips when it becomes the primary again; null where a human has to decide.
 * Each reign that followed it began, on a lane that nobody knows, by as many ids above the row as a failover
 * skips; and if its callers knew of more than its server had, by as many as a restore skips besides. How many
 * the latest has reserved since, and goes on to reserve if it still answers, nobody knows for sure: as many
 * as either option allows for, in a day if they grow. The last parameter is what the row says of its pace,
 * and the room above it.
 */
export function skipToReinstate(
  skips: Skips,
  follows: Reigns,
  { pace, left, range }: RowLoss,
): number | null {
  const began = { left, range, pace, lane: LANES - 1, timelines: 1 };
  const since = { left, range, pace: { ageSeconds: DAY_SECONDS, idsPerSecond: pace?.idsPerSecond ?? 0 } };
  const [each, failover, restore] = [
    skipAfter('restore', skips, began),
    skipAfter('failover', skips, since),
    skipAfter('restore', skips, since),
  ];
  if (each === null || failover === null || restore === null) return null;
  return each * follows.length + Math.max(failover, restore);
}
