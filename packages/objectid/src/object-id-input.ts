import { shownValue } from '@ids/core';
import { type IdWords, wordsOfBytes, wordsOfHex } from './id-words.js';
import { MAX_SECOND } from './limits.js';

/** What has the shape of an ObjectId, from whatever package or version: known by its methods, never by its class. */
export interface ObjectIdLike {
  toHexString(): string;
}

/** What `input`, anything but text, says as an id. Throws as the constructor of `ObjectId` does. */
export function wordsOfInput(input: unknown): IdWords {
  if (typeof input === 'object' && input !== null && 'id' in input) {
    return wordsOfId('toHexString' in input ? (input as ObjectIdLike).toHexString() : input.id);
  }
  return wordsOfId(input);
}

function wordsOfId(id: unknown): IdWords {
  if (typeof id === 'string') return wordsOfHex(checkedText(id));
  if (!ArrayBuffer.isView(id)) {
    throw new TypeError(
      `an ObjectId is made of nothing, seconds, 24 hex digits, 12 bytes or an ObjectId, got ${shownValue(id)}`,
    );
  }
  if (id.byteLength !== 12) throw new RangeError(`an ObjectId has 12 bytes, got ${id.byteLength}`);
  return wordsOfBytes(new Uint8Array(id.buffer, id.byteOffset, 12));
}

/** Returns `text`. Throws a `TypeError` unless it is a string, a `RangeError` unless it is 24 hex digits. */
export function checkedText(text: unknown): string {
  if (typeof text !== 'string') {
    throw new TypeError(`an ObjectId must be a string of 24 hex digits, got ${shownValue(text)}`);
  }
  if (text.length !== 24)
    throw new RangeError(`an ObjectId has 24 hex digits, got ${text.length} characters`);
  const wrong = text.search(/[^0-9a-fA-F]/);
  if (wrong === -1) return text;
  throw new RangeError(
    `an ObjectId has hex digits only, got ${shownValue(text[wrong])} at position ${wrong}`,
  );
}

/** `seconds` without its fraction. Throws a `TypeError` or `RangeError` unless that is the second of some ObjectId. */
export function checkedSeconds(seconds: unknown): number {
  if (typeof seconds !== 'number') {
    throw new TypeError(`seconds since 1970 must be a number, got ${shownValue(seconds)}`);
  }
  if (seconds >= 0 && seconds < MAX_SECOND + 1) return Math.floor(seconds);
  throw new RangeError(`seconds since 1970 must lie in 0 .. ${MAX_SECOND}, got ${seconds}`);
}
