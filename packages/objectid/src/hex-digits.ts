/** `value`, a whole number from 0, in lower-case hex digits, padded with zeros to `width`. */
export function hexDigits(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}

export function hexOfBytes(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => hexDigits(byte, 2)).join('');
}
