/** A whole number from 0; a `bigint` where it may lie above 2^53 - 1. */
export type Whole = number | bigint;

/**
 * The digits of `value`, the highest first, with leading zeros up to `width`: more of
 * them when it needs more.
 */
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

/**
 * The alphabets. Each is in ASCII order, so that strings of one width
 * sort like their numbers.
 */
export const ALPHABETS = {
  decimal: '0123456789',
  hex: '0123456789abcdef',
  base62: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  /** https://www.crockford.com/base32.html: no I, L, O and U, so that people read it back right. */
  crockford: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
} as const;

export type AlphabetName = keyof typeof ALPHABETS;

export const ALPHABET_NAMES = Object.keys(ALPHABETS) as AlphabetName[];

/**
 * Whether two strings that differ in case only are two ids. A column that ignores case would take them for
 * one.
 */
export function isMixedCase(name: AlphabetName): boolean {
  return new Set(ALPHABETS[name].toLowerCase()).size < ALPHABETS[name].length;
}

/** The places of `text`'s characters in the alphabet; -1 for a character that is none of its digits. */
export function digitsIn(name: AlphabetName, text: string): number[] {
  const read = name === 'crockford' ? asCrockfordReads(text) : text;
  return Array.from(read, (character) => ALPHABETS[name].indexOf(character));
}

/** Either case, hyphens anywhere, and the letters that people mistake for digits. */
function asCrockfordReads(text: string): string {
  // Of the 26 letters only: toUpperCase makes S of ſ, I of ı and ST of ﬅ, which nobody wrote for a digit.
  const upper = text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
  return upper.replaceAll('-', '').replaceAll('O', '0').replace(/[IL]/g, '1');
}

export function textOf(name: AlphabetName, digits: readonly number[]): string {
  const alphabet = ALPHABETS[name];
  let text = '';
  for (const digit of digits) text += alphabet[digit];
  return text;
}

/**
 * The check digit of ISO/IEC 7064's hybrid system MOD M+1,M, for an alphabet of `radix` = M
 * digits, M even. It is a digit of the same alphabet. Every single wrong digit is found, and
 * nearly every swap of two neighbours.
 */
export function checkDigit(digits: readonly number[], radix: number): number {
  let product = radix;
  for (const digit of digits) {
    const sum = (product + digit) % radix;
    // M + 1 is odd, so doubling loses nothing: what differs after one digit differs to the end.
    product = ((sum === 0 ? radix : sum) * 2) % (radix + 1);
  }
  return (radix + 1 - product) % radix;
}
