import { formatValue } from '@ids/core/strategy';

/**
 * The twelve bytes of an id as four 24-bit numbers, big endian. Engines store such small integers inside the
 * object, so that it takes no more memory than an ObjectId of `bson`.
 */
export class IdWords {
  // Declared without a value: engines store a field as a small integer only if the first value it ever holds
  // is one.
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
 * Reads `text`, which must have 24 characters. One of the words is negative if a character is not a hex
 * digit.
 */
export function wordsOfHex(text: string): IdWords {
  // Created on first use, so that an import alone does not build the table.
  ofHex ??= hexReader();
  return ofHex(text);
}

function hexReader(): (text: string) => IdWords {
  // With an entry for every possible code unit, the engine needs no bounds check, and digits of other scripts
  // are rejected.
  const values = new Int8Array(0x1_0000).fill(-1);
  for (const digit of '0123456789abcdefABCDEF') values[digit.charCodeAt(0)] = Number.parseInt(digit, 16);
  const digit = (text: string, at: number): number => values[text.charCodeAt(at)] as number;

  return (text) => {
    let word0 = 0;
    let word1 = 0;
    let word2 = 0;
    let word3 = 0;
    for (let at = 0; at < 6; at++) {
      // A value of -1 sets the sign bit, and nothing clears it: the five digits after it shift by 20 bits.
      word0 = (word0 << 4) | digit(text, at);
      word1 = (word1 << 4) | digit(text, at + 6);
      word2 = (word2 << 4) | digit(text, at + 12);
      word3 = (word3 << 4) | digit(text, at + 18);
    }
    return new IdWords(word0, word1, word2, word3);
  };
}

/** Whether `text` is 24 hex digits in either case. */
export function isHex(text: string): boolean {
  if (text.length !== 24) return false;
  const { word0, word1, word2, word3 } = wordsOfHex(text);
  return (word0 | word1 | word2 | word3) >= 0;
}

/** Reads the twelve bytes of an id. */
export function wordsOfBytes(bytes: Uint8Array): IdWords {
  const word = (at: number): number =>
    ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
  return new IdWords(word(0), word(3), word(6), word(9));
}

/** Writes the twelve bytes of an id into `bytes`, starting at index `at`. There must be room for them. */
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

/** 16 base64 digits. */
export function base64OfWords(words: IdWords): string {
  const bytes = new Uint8Array(12);
  writeWords(words, bytes, 0);
  return btoa(String.fromCharCode(...bytes));
}

/**
 * Reads 16 base64 digits. Throws a `TypeError` if `base64` is not a string, and a `RangeError` for any other
 * string.
 */
export function wordsOfBase64(base64: unknown): IdWords {
  const isString = typeof base64 === 'string';
  if (isString && /^[A-Za-z0-9+/]{16}$/.test(base64)) {
    return wordsOfBytes(Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)));
  }
  throw new (isString ? RangeError : TypeError)(
    `an ObjectId has 16 base64 digits, got ${formatValue(base64)}`,
  );
}
