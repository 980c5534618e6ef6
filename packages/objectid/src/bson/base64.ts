import { shownValue } from '@ids/core';

export function base64OfBytes(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** The bytes of 16 base64 digits. Throws a `TypeError` for what is no text, a `RangeError` for any other text. */
export function bytesOfBase64(text: unknown): Uint8Array {
  const isText = typeof text === 'string';
  if (!isText || !/^[A-Za-z0-9+/]{16}$/.test(text)) {
    throw new (isText ? RangeError : TypeError)(`an ObjectId has 16 base64 digits, got ${shownValue(text)}`);
  }
  return Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
}
