/** The most ids one `nextBatch` call may ask for, inclusive. An array of that many numbers takes 8 MB. */
export const MAX_BATCH = 1_000_000;

/** Throws a `RangeError` unless `count` is a whole number from 0 to `MAX_BATCH`. */
export function assertBatchCount(count: number): void {
  if (!Number.isInteger(count) || count < 0 || count > MAX_BATCH) {
    throw new RangeError(`count must be a whole number from 0 to ${MAX_BATCH}, got ${String(count)}`);
  }
}
