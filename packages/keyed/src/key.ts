import { formatValue, hexDigits } from '@ids/core/strategy';

/**
 * The length of the longest key, in bytes of UTF-8. Every supported database can index that many bytes
 * together with the name of a family.
 */
export const MAX_KEY_BYTES = 255;

/** No string of fewer characters is longer than `MAX_KEY_BYTES`. */
const SURELY_SHORT = MAX_KEY_BYTES / 3;

/**
 * Throws a `TypeError` unless `key` is a string of well-formed Unicode, and a `RangeError` if it is longer
 * than `MAX_KEY_BYTES`. The empty string and strings with NUL are keys too. A lone surrogate has no bytes in
 * UTF-8, and a replacement for it would make two keys equal.
 */
export function assertKey(key: string): void {
  if (typeof key !== 'string') throw new TypeError(`key must be a string, got ${formatValue(key)}`);
  if (LONE_SURROGATE.test(key)) {
    throw new TypeError(`key must be well-formed Unicode, got ${JSON.stringify(key.slice(0, 80))}`);
  }
  if (key.length <= SURELY_SHORT) return;
  const bytes = ENCODER.encode(key).length;
  if (bytes > MAX_KEY_BYTES) {
    const start = JSON.stringify(key.slice(0, 40));
    throw new RangeError(`key must be at most ${MAX_KEY_BYTES} bytes in UTF-8, got ${bytes}: ${start} …`);
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;

// A Worker has no `Buffer`.
const ENCODER = new TextEncoder();
const DIGITS = Array.from({ length: 0x100 }, (_, byte) => hexDigits(byte, 2));

/** The bytes of a key in hexadecimal digits, as statements carry it. */
export function keyToHex(key: string): string {
  let digits = '';
  for (const byte of ENCODER.encode(key)) digits += DIGITS[byte];
  return digits;
}
