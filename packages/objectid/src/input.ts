import { formatValue } from '@ids/core/strategy';
import { type IdWords, wordsOfBytes, wordsOfHex } from './id-words.js';
import { MAX_SECOND } from './limits.js';

/** An ObjectId of any package or version, recognised by its methods rather than its class. */
export interface ObjectIdLike {
  toHexString(): string;
}

/** The hex digits of an ObjectId of any package; `undefined` if `value` is not shaped like one. */
export function hexOfLike(value: unknown): unknown {
  const { toHexString } = Object(value) as Partial<ObjectIdLike>;
  return typeof toHexString === 'function' ? toHexString.call(value) : undefined;
}

/** Reads the id in `input`, which may be anything but a string. Throws like the constructor of `ObjectId`. */
export function wordsOfInput(input: unknown): IdWords {
  const id = hexOfLike(input) ?? (Object(input) as { id?: unknown }).id ?? input;
  if (typeof id === 'string') return wordsOfHex(checkedText(id));
  if (!ArrayBuffer.isView(id)) {
    throw new TypeError(
      `an ObjectId can be created from seconds, 24 hex digits, 12 bytes or an ObjectId, got ${formatValue(id)}`,
    );
  }
  if (id.byteLength !== 12) throw new RangeError(`an ObjectId has 12 bytes, got ${id.byteLength}`);
  return wordsOfBytes(new Uint8Array(id.buffer, id.byteOffset, 12));
}

/**
 * Returns `text`. Throws a `TypeError` if it is not a string, and a `RangeError` if it is not 24 hex digits.
 */
export function checkedText(text: unknown): string {
  if (typeof text !== 'string') throw new TypeError(`an ObjectId is 24 hex digits, got ${formatValue(text)}`);
  const wrong = text.search(/[^0-9a-f]/i);
  if (text.length === 24 && wrong < 0) return text;
  const got =
    text.length === 24 ? `${formatValue(text[wrong])} at position ${wrong}` : `${text.length} characters`;
  throw new RangeError(`an ObjectId is 24 hex digits, got ${got}`);
}

/**
 * Returns `seconds` rounded down. Throws a `TypeError` if it is not a number, and a `RangeError` if it is
 * outside 0 .. 2^32 - 1.
 */
export function checkedSeconds(seconds: unknown): number {
  const isNumber = typeof seconds === 'number';
  if (isNumber && seconds >= 0 && seconds < MAX_SECOND + 1) return Math.floor(seconds);
  throw new (isNumber ? RangeError : TypeError)(
    `seconds since 1970 must be in 0 .. ${MAX_SECOND}, got ${formatValue(seconds)}`,
  );
}
