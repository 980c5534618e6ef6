import type { Id } from '@ids/core';
import type { IdFormat } from '../../cases/case.js';
import { InvalidOutput } from '../../measure/validate.js';

/** The longest string that fits: its length takes one byte of the first word. */
const LONGEST_TEXT = 255;
const MAX_PAYLOAD_WORDS = textWords(LONGEST_TEXT);

const TWO_32 = 0x1_0000_0000;

/** Writes ids, one at a time, as 32-bit words. */
export interface IdEncoder {
  /** The id that was encoded last, from word 0 on. */
  readonly words: Uint32Array;
  /** Returns how many words the id took. Throws `InvalidOutput` for an id that is not of the format. */
  encode(id: Id): number;
}

/**
 * The exact form of an id in 32-bit words: two ids are equal if and only if their words are. Integers take
 * two words, low then high; a string takes its length and its ASCII characters, a byte each, padded with
 * zeros.
 */
export function idEncoder({ idType, text }: IdFormat): IdEncoder {
  const words = new Uint32Array(MAX_PAYLOAD_WORDS);
  if (idType === 'number') return { words, encode: (id) => encodeNumber(id, words) };
  if (idType === 'bigint') return { words, encode: (id) => encodeBigint(id, words) };
  if (text.maxLength > LONGEST_TEXT) {
    throw new RangeError(
      `string ids of up to ${text.maxLength} characters: at most ${LONGEST_TEXT} can be checked`,
    );
  }
  const bytes = Buffer.from(words.buffer);
  return { words, encode: (id) => encodeText(id, words, bytes) };
}

/** How many words the payload at `at` takes. */
export function payloadWords(words: Uint32Array, at: number, idType: IdFormat['idType']): number {
  return idType === 'string' ? textWords((words[at] as number) & 0xff) : 2;
}

/** The id whose payload is at `at`. */
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

/**
 * Words for a string of `length` characters: its length and characters, then a word that may be all zeros.
 */
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

function encodeText(id: Id, words: Uint32Array, bytes: Buffer): number {
  if (typeof id !== 'string') throw new InvalidOutput(`${String(id)} is a ${typeof id}, string was promised`);
  const { length } = id;
  if (length > LONGEST_TEXT) throw new InvalidOutput(`${JSON.stringify(id)} is longer than ${LONGEST_TEXT}`);
  const count = textWords(length);
  // The padding must be zero, whatever was encoded before.
  words[count - 1] = 0;
  bytes[0] = length;
  // Characters outside ASCII take more than one byte each.
  if (bytes.write(id, 1, 'utf8') !== length)
    throw new InvalidOutput(`${JSON.stringify(id)} is not plain ASCII`);
  return count;
}

/**
 * A hash of `words[at .. at + count - 1]`: it only says in which partition and slot to look; ids are compared
 * in full. The mixing steps are those of MurmurHash3 (Austin Appleby, public domain).
 */
export function hashWords(words: Uint32Array, at: number, count: number): number {
  let hash = count;
  for (let i = at; i < at + count; i++) {
    let mixed = Math.imul(words[i] as number, 0xcc9e2d51);
    mixed = Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
    hash ^= mixed;
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Which of `partitions` (a power of two) a hash belongs to: its top bits, as slots use the low ones. */
export function partitionOf(hash: number, partitions: number): number {
  return Math.floor((hash / 0x1_0000_0000) * partitions);
}
