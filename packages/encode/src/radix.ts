/** A whole number from 0; a `bigint` where it may lie above 2^53 - 1. */
export type Whole = number | bigint;

/** The digits of `value`, the highest first, with leading zeros up to `width`: more of them when it needs more. */
export function toDigits(value: Whole, radix: number, width: number): number[] {
  const digits: number[] = [];
  let high = value;
  for (; typeof high === 'bigint' && high > Number.MAX_SAFE_INTEGER; high /= BigInt(radix)) {
    digits.push(Number(high % BigInt(radix)));
  }
  // Numbers are several times as fast as bigints, and most ids fit.
  for (let low = Number(high); low > 0; low = Math.floor(low / radix)) digits.push(low % radix);
  while (digits.length < Math.max(width, 1)) digits.push(0);
  return digits.reverse();
}

export function fromDigits(digits: readonly number[], radix: number): bigint {
  let value = 0n;
  let low = 0;
  let scale = 1;
  for (const digit of digits) {
    // Gathered in a number as long as that is exact, for the same reason.
    if (scale * radix > Number.MAX_SAFE_INTEGER) {
      value = value * BigInt(scale) + BigInt(low);
      [low, scale] = [0, 1];
    }
    low = low * radix + digit;
    scale *= radix;
  }
  return value * BigInt(scale) + BigInt(low);
}

/** How many digits `max` has. */
export function widthOf(max: bigint, radix: number): number {
  return toDigits(max, radix, 1).length;
}
