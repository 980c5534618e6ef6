import type { OpenGroup } from './groups/group-clock.js';
import { LAST_ID, MAX_STEP } from './segment.js';

const PAGE = 'docs/operations/segment-table.md#a-sequence-at-its-end';

/**
 * The greatest `max_id` of a row that is not used up. Without groups, one segment of any size is left above
 * it: nobody gets there by counting, since it takes the greatest segments nine million reservations. With
 * groups, it is in one that has begun: `group` is that of its row which is now.
 */
export function greatestUsable(group?: OpenGroup): number {
  return group === undefined ? LAST_ID - MAX_STEP : group.limit - 1;
}

/** Why no ids are left above `maxId`, and where it says what to do, for people; undefined if some are. */
export function usedUpAt(maxId: number, group?: OpenGroup): string | undefined {
  if (maxId <= greatestUsable(group)) return undefined;
  if (group === undefined) {
    return `only ${LAST_ID - maxId} ids are left up to the last one, ${LAST_ID}. If it was set so and not counted, see ${PAGE}`;
  }
  return `${maxId} is in a ${group.by} that has not begun by the database's clock in ${group.timeZone}: that clock is or was wrong, or it was set so, and then see ${PAGE}`;
}

/** The same for keys, of which `count` are above `greatestUsable`. */
export function keysUsedUp(count: number, group?: OpenGroup): string | undefined {
  if (count === 0) return undefined;
  const where =
    group === undefined
      ? `at the end, above ${greatestUsable()}`
      : `in a ${group.by} that has not begun, from ${group.limit} on`;
  return `${count === 1 ? '1 key is' : `${count} keys are`} ${where}. If somebody set them so, see ${PAGE}`;
}
