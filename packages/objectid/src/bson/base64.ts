import { shownValue } from '@ids/core';
import { IdWords } from '../id-words.js';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** 16 digits: four for each word of 24 bits. */
export function base64OfWords({ word0, word1, word2, word3 }: IdWords): string {
  return digitsOf(word0) + digitsOf(word1) + digitsOf(word2) + digitsOf(word3);
}

function digitsOf(word: number): string {
  return (
    digitAt(word >> 18) + digitAt((word >> 12) & 0x3f) + digitAt((word >> 6) & 0x3f) + digitAt(word & 0x3f)
  );
}

function digitAt(value: number): string {
  return DIGITS[value] as string;
}

/**
 * What 16 base64 digits say. Throws a `TypeError` for what is no string, a `RangeError` for any other string.
 */
export function wordsOfBase64(base64: unknown): IdWords {
  const isString = typeof base64 === 'string';
  const words = isString && base64.length === 16 ? readWords(base64) : undefined;
  // A character that is no digit gives -1, and so a negative word.
  if (words !== undefined && (words.word0 | words.word1 | words.word2 | words.word3) >= 0) return words;
  throw new (isString ? RangeError : TypeError)(
    `an ObjectId has 16 base64 digits, got ${shownValue(base64)}`,
  );
}

function readWords(base64: string): IdWords {
  const digit = (at: number): number => DIGITS.indexOf(base64[at] as string);
  const word = (at: number): number =>
    (digit(at) << 18) | (digit(at + 1) << 12) | (digit(at + 2) << 6) | digit(at + 3);
  return new IdWords(word(0), word(4), word(8), word(12));
}
