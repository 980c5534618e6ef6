import type { Id } from '@ids/core';
import type { IdFormat } from '../bench-case.js';
import { InvalidOutput } from '../measure/validate.js';

/** The longest text id that fits: its length takes one byte of the first word. */
const LONGEST_TEXT = 255;
export const MAX_PAYLOAD_WORDS = textWords(LONGEST_TEXT);

const TWO_32 = 0x1_0000_0000;

/** Writes `id` into `words`, from `words[0]` on, and returns how many words it took. Throws `InvalidOutput`. */
export type IdEncoder = (id: Id, words: Uint32Array) => number;

/**
 * The exact form of an id in 32-bit words: two ids are the same if and only if their words are. Integers take two words,
 * low then high; a text takes its length and its ASCII characters, a byte each, zeros behind.
 */
export function idEncoder({ idType, text }: IdFormat): IdEncoder {
  if (idType === 'number') return encodeNumber;
  if (idType === 'bigint') return encodeBigint;
  if (text.maxLength > LONGEST_TEXT) {
    throw new RangeError(
      `text ids of up to ${text.maxLength} characters: at most ${LONGEST_TEXT} can be checked`,
    );
  }
  return encodeText;
}

/** How many words the payload at `at` has; the reader's side of `idEncoder`. */
export function payloadWords(words: Uint32Array, at: number, idType: IdFormat['idType']): number {
  return idType === 'string' ? textWords((words[at] as number) & 0xff) : 2;
}

/** The id whose payload lies at `at`. */
export function decodeId(words: Uint32Array, at: number, idType: IdFormat['idType']): Id {
  if (idType !== 'string') {
    const low = words[at] as number;
    const high = words[at + 1] as number;
    return idType === 'number' ? high * TWO_32 + low : (BigInt(high) << 32n) | BigInt(low);
  }
  const length = (words[at] as number) & 0xff;
  const codes = Array.from({ length }, (_, i) => {
    const byte = i + 1;
    return ((words[at + (byte >> 2)] as number) >>> ((byte & 3) * 8)) & 0xff;
  });
  return String.fromCharCode(...codes);
}

/** Words for a text of `length` characters: whole words of its length and characters, then one that may be all zeros. */
function textWords(length: number): number {
  return ((length + 1) >> 2) + 1;
}

function encodeNumber(id: Id, words: Uint32Array): number {
  if (!Number.isSafeInteger(id) || (id as number) < 0) {
    throw new InvalidOutput(`${String(id)} is not an integer from 0 to 2^53 - 1`);
  }
  words[0] = (id as number) % TWO_32;
  words[1] = Math.floor((id as number) / TWO_32);
  return 2;
}

function encodeBigint(id: Id, words: Uint32Array): number {
  if (typeof id !== 'bigint' || id < 0n || id >> 64n !== 0n) {
    throw new InvalidOutput(`${String(id)} is not a bigint from 0 to 2^64 - 1`);
  }
  words[0] = Number(id & 0xffff_ffffn);
  words[1] = Number(id >> 32n);
  return 2;
}

function encodeText(id: Id, words: Uint32Array): number {
  if (typeof id !== 'string') throw new InvalidOutput(`${String(id)} is a ${typeof id}, string was promised`);
  const { length } = id;
  if (length > LONGEST_TEXT) throw new InvalidOutput(`${JSON.stringify(id)} is longer than ${LONGEST_TEXT}`);
  let word = length;
  let shift = 8;
  let count = 0;
  for (let i = 0; i < length; i++) {
    const code = id.charCodeAt(i);
    if (code > 127) throw new InvalidOutput(`${JSON.stringify(id)} is not plain ASCII`);
    word |= code << shift;
    shift += 8;
    if (shift === 32) {
      words[count++] = word;
      word = 0;
      shift = 0;
    }
  }
  words[count++] = word;
  return count;
}
