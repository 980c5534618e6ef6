import { LANES, type Reigns, type RowLoss, type Skips, skipAfter } from '@ids/store';

const DAY_SECONDS = 86_400;

/**
 * How many ids a former primary skips when it becomes the primary again; null where a human has to decide.
 * Each reign that followed it began by as many ids above the row as a failover skips, on a lane that nobody
 * knows. How many the latest has reserved since, and goes on to reserve if it still answers, nobody knows for
 * sure: as many as either option allows for, in a day if they grow. The last parameter is what the row says
 * of its pace, and the room above it.
 */
export function skipToReinstate(
  skips: Skips,
  follows: Reigns,
  { pace, left, range }: RowLoss,
): number | null {
  const began = { left, range, pace, lane: LANES - 1, timelines: follows.length };
  const since = { left, range, pace: { ageSeconds: DAY_SECONDS, idsPerSecond: pace?.idsPerSecond ?? 0 } };
  const [above, failover, restore] = [
    skipAfter('failover', skips, began),
    skipAfter('failover', skips, since),
    skipAfter('restore', skips, since),
  ];
  return above === null || failover === null || restore === null ? null : above + Math.max(failover, restore);
}
