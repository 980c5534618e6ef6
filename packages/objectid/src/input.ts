import { shownValue } from '@ids/core/strategy';
import { MAX_SECOND } from './limits.js';
import { type IdWords, wordsOfBytes, wordsOfHex } from './words.js';

/**
 * What has the shape of an ObjectId, from whatever package or version: known by its
 * methods, never by its class.
 */
export interface ObjectIdLike {
  toHexString(): string;
}

/** The digits that an ObjectId of any package gives of itself; `undefined` for whatever has not its shape. */
export function hexOfLike(value: unknown): unknown {
  const { toHexString } = Object(value) as Partial<ObjectIdLike>;
  return typeof toHexString === 'function' ? toHexString.call(value) : undefined;
}

/** The id in `input`, which is anything but a string. Throws as the constructor of `ObjectId` does. */
export function wordsOfInput(input: unknown): IdWords {
  const id = hexOfLike(input) ?? (Object(input) as { id?: unknown }).id ?? input;
  if (typeof id === 'string') return wordsOfHex(checkedText(id));
  if (!ArrayBuffer.isView(id)) {
    throw new TypeError(
      `an ObjectId is made of seconds, 24 hex digits, 12 bytes or an ObjectId, got ${shownValue(id)}`,
    );
  }
  if (id.byteLength !== 12) throw new RangeError(`an ObjectId has 12 bytes, got ${id.byteLength}`);
  return wordsOfBytes(new Uint8Array(id.buffer, id.byteOffset, 12));
}

/** Returns `text`. Throws a `TypeError` unless it is a string, a `RangeError` unless it is 24 hex digits. */
export function checkedText(text: unknown): string {
  if (typeof text !== 'string') throw new TypeError(`an ObjectId is 24 hex digits, got ${shownValue(text)}`);
  const wrong = text.search(/[^0-9a-f]/i);
  if (text.length === 24 && wrong < 0) return text;
  const got =
    text.length === 24 ? `${shownValue(text[wrong])} at position ${wrong}` : `${text.length} characters`;
  throw new RangeError(`an ObjectId is 24 hex digits, got ${got}`);
}

/**
 * `seconds` without its fraction. Throws a `TypeError` or `RangeError` unless that is the
 * second of some ObjectId.
 */
export function checkedSeconds(seconds: unknown): number {
  const isNumber = typeof seconds === 'number';
  if (isNumber && seconds >= 0 && seconds < MAX_SECOND + 1) return Math.floor(seconds);
  throw new (isNumber ? RangeError : TypeError)(
    `seconds since 1970 must lie in 0 .. ${MAX_SECOND}, got ${shownValue(seconds)}`,
  );
}
