/** Formats `value`, a whole number of at least 0, in lower-case hex digits, padded with zeros to `width`. */
export function hexDigits(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}

let table: readonly string[] | undefined;

/**
 * The three hex digits of each number below 4,096. Created on first use, so that an import alone costs
 * nothing.
 */
export function threeDigits(): readonly string[] {
  table ??= Array.from({ length: 0x1000 }, (_, value) => hexDigits(value, 3));
  return table;
}

/**
 * Copies `text` into a flat string. JavaScript engines represent the result of `+` as a tree. Used as the
 * prefix of many ids, such a tree would be traversed again for each id that is hashed, compared or written.
 */
export function flatText(text: string): string {
  return [...text].join('');
}
