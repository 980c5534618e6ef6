import { BLOCK } from './limits.js';

/** `value`, a whole number from 0, in lower-case hex digits, padded with zeros to `width`. */
export function hexDigits(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}

let table: readonly string[] | undefined;

/**
 * The three digits of each number below 4,096. Made on first use: whoever only imports
 * this does not pay for it.
 */
export function threeDigits(): readonly string[] {
  table ??= Array.from({ length: BLOCK }, (_, value) => hexDigits(value, 3));
  return table;
}
