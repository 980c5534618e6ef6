import { hexDigits, randomValues, snapshotUnderWay, timeOfDate } from '@ids/core/strategy';
import { BLOCK, BLOCKS, MAX_MS, prefixText } from './layout.js';

/** The place of the last id; undefined before the first one, and in a copy of a process. */
let last: { readonly ms: number; readonly counter: number } | undefined;

/**
 * A UUID of version 7 with a time of the past, for rows that existed before it. Ids are in the order of their
 * dates; those of one millisecond increase if they are asked for in a row.
 *
 * Unique by random bits: the counter of a millisecond starts at one of 2^40 values, and each id has 32 bits
 * of its own. So do the ids of two back-fills, or of one that runs twice. The counter is in the upper half,
 * and that of a generator starts in the lower one: an id meets one that was issued when its time was now only
 * if that counter had left its half and the 32 bits are equal.
 *
 * Throws a `TypeError` if `date` is not a `Date`, and a `RangeError` if it is outside 1970-01-01 ..
 * 10889-08-02T05:31:50.655Z.
 */
export function uuid7At(date: Date): string {
  const ms = timeOfDate(date, MAX_MS);
  // Not drawn in advance: the copies of a process must not have the same.
  const [high = 0, low = 0, random = 0] = randomValues(new Uint32Array(3));
  const counter = ms === last?.ms ? last.counter + 1 : start(high, low);
  last = { ms, counter };
  return prefixText(ms, Math.floor(counter / BLOCK)) + hexDigits(counter % BLOCK, 4) + hexDigits(random, 8);
}

/** The next id begins at a new random place, even in the same millisecond. */
export function resetUuid7At(): void {
  last = undefined;
}

/** In the third quarter, so that at least 2^40 more ids fit into the millisecond. */
function start(high: number, low: number): number {
  snapshotUnderWay()?.addDeserializeCallback(resetUuid7At);
  return (BLOCKS / 2) * BLOCK + (high % 0x100) * 0x1_0000_0000 + low;
}
