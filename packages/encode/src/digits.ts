import { upperCase } from './uuid-base32.js';

/** A whole number of at least 0; a `bigint` if it can be above 2^53 - 1. */
export type Whole = number | bigint;

/**
 * The digits of `value`, most significant first, padded with zeros to `width`. More than `width` if needed.
 */
export function toDigits(value: Whole, radix: number, width: number): number[] {
  const digits: number[] = [];
  let high = value;
  for (; typeof high === 'bigint' && high > Number.MAX_SAFE_INTEGER; high /= BigInt(radix)) {
    digits.push(Number(high % BigInt(radix)));
  }
  // Numbers are several times faster than bigints, and most ids fit.
  for (let low = Number(high); low > 0; low = Math.floor(low / radix)) digits.push(low % radix);
  while (digits.length < Math.max(width, 1)) digits.push(0);
  return digits.reverse();
}

export function fromDigits(digits: readonly number[], radix: number): bigint {
  let value = 0n;
  let low = 0;
  let scale = 1;
  for (const digit of digits) {
    // Accumulated in a number while that is exact, for the same reason.
    if (scale * radix > Number.MAX_SAFE_INTEGER) {
      value = value * BigInt(scale) + BigInt(low);
      [low, scale] = [0, 1];
    }
    low = low * radix + digit;
    scale *= radix;
  }
  return value * BigInt(scale) + BigInt(low);
}

/** The number of digits of `max`. */
export function widthOf(max: bigint, radix: number): number {
  return toDigits(max, radix, 1).length;
}

/** The alphabets, each in ASCII order, so that strings of equal width sort like their numbers. */
export const ALPHABETS = {
  decimal: '0123456789',
  hex: '0123456789abcdef',
  base62: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  /** https://www.crockford.com/base32.html: without I, L, O and U, which are easily misread. */
  crockford: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
} as const;

export type AlphabetName = keyof typeof ALPHABETS;

export const ALPHABET_NAMES = Object.keys(ALPHABETS) as AlphabetName[];

/**
 * Whether two strings that differ only in case are two ids. In a case-insensitive column they would be equal.
 */
export function isMixedCase(name: AlphabetName): boolean {
  return new Set(ALPHABETS[name].toLowerCase()).size < ALPHABETS[name].length;
}

/** The index in the alphabet of each character of `text`; -1 for a character that is not a digit. */
export function digitsIn(name: AlphabetName, text: string): number[] {
  const read = name === 'crockford' ? asCrockfordReads(text) : text;
  return Array.from(read, (character) => ALPHABETS[name].indexOf(character));
}

/** Normalises case, removes hyphens, and replaces the letters that people confuse with digits. */
function asCrockfordReads(text: string): string {
  return upperCase(text).replaceAll('-', '').replaceAll('O', '0').replace(/[IL]/g, '1');
}

export function textOf(name: AlphabetName, digits: readonly number[]): string {
  const alphabet = ALPHABETS[name];
  let text = '';
  for (const digit of digits) text += alphabet[digit];
  return text;
}

/**
 * The check digit of the hybrid system MOD M+1,M of ISO/IEC 7064, for an alphabet of `radix` = M digits,
 * where M is even. It is a digit of the same alphabet. It detects every single wrong digit, and nearly every
 * swap of two neighbours.
 */
export function checkDigit(digits: readonly number[], radix: number): number {
  let product = radix;
  for (const digit of digits) {
    const sum = (product + digit) % radix;
    // M + 1 is odd, so doubling loses no information: a difference after one digit persists to the end.
    product = ((sum === 0 ? radix : sum) * 2) % (radix + 1);
  }
  return (radix + 1 - product) % radix;
}
