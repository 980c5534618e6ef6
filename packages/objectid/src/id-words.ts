/**
 * The twelve bytes of an id as four numbers of 24 bits, big endian. Small integers are what engines keep in the object
 * itself: it takes no more room than one that `bson` makes.
 */
export interface IdWords {
  readonly word0: number;
  readonly word1: number;
  readonly word2: number;
  readonly word3: number;
}

/** Six hex digits of `text` from `at` as a number; negative if one of them is none. */
type WordReader = (text: string, at: number) => number;

let reader: WordReader | undefined;

/** Made on first use: whoever only imports this does not pay for its table. */
export function wordReader(): WordReader {
  reader ??= makeWordReader();
  return reader;
}

function makeWordReader(): WordReader {
  // With an entry for every code unit there is, the engine needs no check of the index, and no digit of another script passes for ours.
  const values = new Int8Array(0x1_0000).fill(-1);
  for (const digit of '0123456789abcdefABCDEF') values[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

  // A function of its own, small enough that engines inline it without counting it: written out, the whole is more than they inline.
  const digit = (text: string, at: number): number => values[text.charCodeAt(at)] as number;

  // A value of -1 sets the sign bit wherever it is shifted to, and nothing clears it.
  return (text, at) =>
    (digit(text, at) << 20) |
    (digit(text, at + 1) << 16) |
    (digit(text, at + 2) << 12) |
    (digit(text, at + 3) << 8) |
    (digit(text, at + 4) << 4) |
    digit(text, at + 5);
}

/** `text` is 24 characters, else the words mean nothing; one of them is negative if a character is no hex digit. */
export function wordsOfHex(text: string): IdWords {
  const word = wordReader();
  return { word0: word(text, 0), word1: word(text, 6), word2: word(text, 12), word3: word(text, 18) };
}

/** Whether `text` is 24 hex digits of either case. */
export function isHex(text: string): boolean {
  const word = wordReader();
  return text.length === 24 && (word(text, 0) | word(text, 6) | word(text, 12) | word(text, 18)) >= 0;
}

/** `bytes` are the twelve of an id. */
export function wordsOfBytes(bytes: DataView): IdWords {
  const word = (at: number): number => (bytes.getUint16(at) << 8) | bytes.getUint8(at + 2);
  return { word0: word(0), word1: word(3), word2: word(6), word3: word(9) };
}
