import { hexDigits, randomValues, snapshotUnderWay, timeOfDate } from '@ids/core/strategy';
import { MAX_SECOND } from './limits.js';

/** The eight bytes after the time in the next id; undefined before the first one and in a copied process. */
let next: bigint | undefined;

/**
 * An ObjectId with a time of the past, as 24 hex digits, for documents that existed before it. Ids are in the
 * order of their dates by seconds; those of one second are in the order in which they were asked for.
 *
 * The eight bytes after the time count up from a random number in each thread, whatever the dates. So the ids
 * of one back-fill cannot repeat. With regard to other processes, live ones, a second back-fill, or this one
 * run twice, a back-fill is one more process with 40 random bits of its own; with 2^24 ids it is two.
 *
 * Throws a `TypeError` if `date` is not a `Date`, and a `RangeError` if it is outside 1970-01-01 ..
 * 2106-02-07T06:28:15Z.
 */
export function objectIdAt(date: Date): string {
  const second = Math.floor(timeOfDate(date, MAX_SECOND * 1_000 + 999) / 1_000);
  const tail = next ?? start();
  // It wraps around for one start in 2^64 / ids: still unique, but not in order.
  next = BigInt.asUintN(64, tail + 1n);
  return hexDigits(second, 8) + tail.toString(16).padStart(16, '0');
}

/** The next id begins at a new random place, with five other bytes for the process. */
export function resetObjectIdAt(): void {
  next = undefined;
}

function start(): bigint {
  snapshotUnderWay()?.addDeserializeCallback(resetObjectIdAt);
  const [random = 0n] = randomValues(new BigUint64Array(1));
  return random;
}
