/**
 * The counts of the long draw. Every number up to 250 and every prime up to 1,000 divides one of them, so that a batch
 * that is wrong at the multiples of such a number is seen; the others are the edges of round segments.
 */
export const BATCH_COUNTS: readonly number[] = [
  0,
  1,
  ...range(126, 250),
  ...range(251, 1_000).filter(isPrime),
  512,
  999,
  1_000,
  1_001,
  1_024,
];

/** For the synchronous calls: every number up to 100 divides one of these. */
export const SYNC_BATCH_COUNTS: readonly number[] = [0, 1, ...range(51, 100)];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function isPrime(value: number): boolean {
  for (let factor = 2; factor * factor <= value; factor++) if (value % factor === 0) return false;
  return value > 1;
}
