import { shownValue } from '@ids/core/strategy';
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

/**
 * The twelve bytes of an id as four numbers of 24 bits, big endian. Small integers are what engines keep in
 * the object itself: it takes no more room than one that `bson` makes.
 */
export class IdWords {
  // Declared only: engines keep a field as a small integer where the first thing that is ever in it is one.
  declare readonly word0: number;
  declare readonly word1: number;
  declare readonly word2: number;
  declare readonly word3: number;

  constructor(word0: number, word1: number, word2: number, word3: number) {
    this.word0 = word0;
    this.word1 = word1;
    this.word2 = word2;
    this.word3 = word3;
  }
}

let ofHex: ((text: string) => IdWords) | undefined;

/**
 * `text` is 24 characters, else the words mean nothing; one of them is negative if a
 * character is no hex digit.
 */
export function wordsOfHex(text: string): IdWords {
  // Made on first use: whoever only imports this does not pay for its table.
  ofHex ??= hexReader();
  return ofHex(text);
}

function hexReader(): (text: string) => IdWords {
  // With an entry for every code unit there is, the engine needs no check of the index, and no digit of
  // another script passes for ours.
  const values = new Int8Array(0x1_0000).fill(-1);
  for (const digit of '0123456789abcdefABCDEF') values[digit.charCodeAt(0)] = Number.parseInt(digit, 16);
  const digit = (text: string, at: number): number => values[text.charCodeAt(at)] as number;

  return (text) => {
    let word0 = 0;
    let word1 = 0;
    let word2 = 0;
    let word3 = 0;
    for (let at = 0; at < 6; at++) {
      // A value of -1 sets the sign bit, and nothing clears it: five digits that follow shift it by 20 bits.
      word0 = (word0 << 4) | digit(text, at);
      word1 = (word1 << 4) | digit(text, at + 6);
      word2 = (word2 << 4) | digit(text, at + 12);
      word3 = (word3 << 4) | digit(text, at + 18);
    }
    return new IdWords(word0, word1, word2, word3);
  };
}

/** Whether `text` is 24 hex digits of either case. */
export function isHex(text: string): boolean {
  if (text.length !== 24) return false;
  const { word0, word1, word2, word3 } = wordsOfHex(text);
  return (word0 | word1 | word2 | word3) >= 0;
}

/** `bytes` are the twelve of an id. */
export function wordsOfBytes(bytes: Uint8Array): IdWords {
  const word = (at: number): number =>
    ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
  return new IdWords(word(0), word(3), word(6), word(9));
}

/** Writes the twelve bytes of an id into `bytes`, which has room for them from `at` on. */
export function writeWords({ word0, word1, word2, word3 }: IdWords, bytes: Uint8Array, at: number): void {
  bytes[at] = word0 >> 16;
  bytes[at + 1] = word0 >> 8;
  bytes[at + 2] = word0;
  bytes[at + 3] = word1 >> 16;
  bytes[at + 4] = word1 >> 8;
  bytes[at + 5] = word1;
  bytes[at + 6] = word2 >> 16;
  bytes[at + 7] = word2 >> 8;
  bytes[at + 8] = word2;
  bytes[at + 9] = word3 >> 16;
  bytes[at + 10] = word3 >> 8;
  bytes[at + 11] = word3;
}

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
