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
