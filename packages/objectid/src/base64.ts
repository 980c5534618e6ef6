import { shownValue } from '@ids/core';
import { hexDigits } from './hex-digits.js';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** 24 bits as four digits: bytes and digits share their ends every three bytes. */
export function base64OfWord(word: number): string {
  return [18, 12, 6, 0].map((shift) => DIGITS[(word >> shift) & 63]).join('');
}

/** The hex digits of 16 base64 digits. Throws a `TypeError` for what is no text, a `RangeError` for any other text. */
export function hexOfBase64(text: unknown): string {
  const isText = typeof text === 'string';
  if (!isText || !/^[A-Za-z0-9+/]{16}$/.test(text)) {
    throw new (isText ? RangeError : TypeError)(`an ObjectId has 16 base64 digits, got ${shownValue(text)}`);
  }
  return Array.from(text.matchAll(/..../g), ([digits]) => hexDigits(wordOf(digits), 6)).join('');
}

function wordOf(digits: string): number {
  return Array.from(digits).reduce((word, digit) => word * 64 + DIGITS.indexOf(digit), 0);
}
