import { formatValue, hexDigits } from '@ids/core/strategy';

/** The last millisecond of the format's 48-bit time, inclusive: 10889-08-02T05:31:50.655Z. */
export const MAX_MS = 0xffff_ffff_ffff;

/**
 * The number of counter values in a block. Ids of a block differ only in the last 12 digits: they share the
 * upper 26 bits of the counter.
 */
export const BLOCK = 0x1_0000;

/** The number of blocks in a millisecond: the counter has 42 bits. */
export const BLOCKS = 0x400_0000;

/** The first 24 characters of all ids in a block of a millisecond, such as `019b76da-a800-7abc-8def-`. */
export function prefixText(ms: number, block: number): string {
  const time = hexDigits(ms, 12);
  // 12 bits of the block follow the version, and 14 the variant, whose two bits are 10.
  const versioned = 0x7000 | (block >>> 14);
  const variant = 0x8000 | (block & 0x3fff);
  return `${time.slice(0, 8)}-${time.slice(8)}-${hexDigits(versioned, 4)}-${hexDigits(variant, 4)}-`;
}

/** Formats 16 bytes as a UUID of any version. */
function textOfBytes(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => hexDigits(byte, 2)).join('');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return groups.join('-');
}

/** The 16 bytes of `text`, which must be a UUID. */
export function bytesOfText(text: string): Uint8Array {
  const hex = text.replaceAll('-', '');
  return Uint8Array.from({ length: 16 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Returns `id` as a lower-case string. Throws a `TypeError` if it is neither a string nor bytes, and a
 * `RangeError` if it is not a UUID of version 7 and of the RFC 9562 variant.
 */
export function checkedText(id: unknown): string {
  const text = textOf(id);
  if (text[14] !== '7') throw new RangeError(`must be a UUID of version 7, got ${formatValue(text)}`);
  if (!'89ab'.includes(text[19] as string)) {
    throw new RangeError(`must be a UUID of variant 8, 9, a or b, got ${formatValue(text)}`);
  }
  return text;
}

/** Accepts a `Buffer` and arrays of other realms too. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}

function textOf(id: unknown): string {
  if (isBytes(id)) {
    if (id.length === 16) return textOfBytes(id);
    throw new RangeError(`must be the 16 bytes of a UUID, got ${id.length}`);
  }
  if (typeof id !== 'string')
    throw new TypeError(`must be a UUID as a string or bytes, got ${formatValue(id)}`);
  if (UUID.test(id)) return id.toLowerCase();
  throw new RangeError(`must be a UUID: hex digits in groups of 8-4-4-4-12, got ${formatValue(id)}`);
}
