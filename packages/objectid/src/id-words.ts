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

export function wordsOfHex(text: string): IdWords {
  return {
    word0: firstWordOfHex(text),
    word1: wordOfHex(text, 6),
    word2: wordOfHex(text, 12),
    word3: wordOfHex(text, 18),
  };
}

/**
 * The value of each code unit as a hex digit, else -1; filled in on first use. With an entry for every code unit there is, the engine
 * needs no check of the index, and no digit of another script passes for one of ours.
 */
const VALUES = new Int8Array(0x1_0000);

/** The first six hex digits of `text`; negative if one of them is none. Read before the others: it fills the table. */
export function firstWordOfHex(text: string): number {
  if (VALUES[0] === 0) fillValues();
  return wordOfHex(text, 0);
}

/** Six hex digits of `text` from `at`, as `firstWordOfHex`. */
export function wordOfHex(text: string, at: number): number {
  // A value of -1 sets the sign bit wherever it is shifted to, and nothing clears it.
  return (
    ((VALUES[text.charCodeAt(at)] as number) << 20) |
    ((VALUES[text.charCodeAt(at + 1)] as number) << 16) |
    ((VALUES[text.charCodeAt(at + 2)] as number) << 12) |
    ((VALUES[text.charCodeAt(at + 3)] as number) << 8) |
    ((VALUES[text.charCodeAt(at + 4)] as number) << 4) |
    (VALUES[text.charCodeAt(at + 5)] as number)
  );
}

/** Whether `text` is 24 hex digits of either case. */
export function isHex(text: string): boolean {
  return (
    text.length === 24 &&
    (firstWordOfHex(text) | wordOfHex(text, 6) | wordOfHex(text, 12) | wordOfHex(text, 18)) >= 0
  );
}

function fillValues(): void {
  VALUES.fill(-1);
  for (let value = 0; value < 16; value++) {
    const digit = value.toString(16);
    VALUES[digit.charCodeAt(0)] = value;
    VALUES[digit.toUpperCase().charCodeAt(0)] = value;
  }
}

export function wordsOfBytes(bytes: Uint8Array): IdWords {
  const word = (at: number): number =>
    bytes.subarray(at, at + 3).reduce((high, byte) => high * 0x100 + byte, 0);
  return { word0: word(0), word1: word(3), word2: word(6), word3: word(9) };
}
