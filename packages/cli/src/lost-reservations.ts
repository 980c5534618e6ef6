import type { NewReignOptions } from '@ids/segment/sql';

/**
 * What to do about a table that may have lost its last reservations. Safe to follow at any time: a floor only
 * raises, and whoever is not sure of it keeps what the next reservation skips.
 */
export function afterLoss(
  generator: string,
  pending: 'failover' | 'restore',
  { afterFailover, afterRestore }: NewReignOptions,
): string {
  const after = pending === 'failover' ? afterFailover : afterRestore;
  const raise = `npx --no -- ids floor ${generator} <the highest ID that anybody saw>`;
  return after === 'refuse'
    ? `Find the highest ID that was issued, then ${raise} --checked`
    : `If more may have been issued since, first ${raise}. Then start a process, or npx --no -- ids next ${generator}: that skips the ids and ends this state`;
}
