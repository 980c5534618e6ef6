import { shownValue } from '@ids/core/strategy';
import type { Transcoder } from './encode-ids.js';
import { assertUuid, readUuid, ULID_ALPHABET, upperCase, uuidWriter } from './uuid-base32.js';

/** What a ULID consists of. */
export interface ParsedUlid {
  /** In upper case. */
  readonly ulid: string;
  /** The same 128 bits as a UUID, in lower case. */
  readonly uuid: string;
  /** Milliseconds since the epoch, 0 .. 2^48 - 1. */
  readonly ms: number;
  /** The same as a `Date`. */
  readonly date: Date;
  /**
   * The last 80 bits as 16 digits of base32, which rise within a millisecond where the issuer takes care of
   * that. In a UUID of version 7, its version and variant are among them.
   */
  readonly random: string;
}

/**
 * Writes UUIDs as ULIDs, and reads them again: what `createCodec` does with `form: 'ulid'`, for a web page.
 * UUIDs of any version are accepted, in lower case, and ULIDs in either case. `encode` throws a `TypeError`
 * for anything else, `decode` a `SyntaxError`.
 */
export function createUlidCodec(): Transcoder<string> {
  const write = uuidWriter(ULID_ALPHABET);
  return {
    encode: (uuid) => {
      assertUuid(uuid);
      return write(uuid);
    },
    decode: (text) => parseUlid(text).uuid,
  };
}

/**
 * The parts of a ULID, whoever made it, in either case. Throws a `TypeError` unless `text` is a string, a
 * `SyntaxError` unless it is a ULID (https://github.com/ulid/spec) of 128 bits.
 */
export function parseUlid(text: string): ParsedUlid {
  if (typeof text !== 'string') throw new TypeError(`a ULID must be a string, got ${shownValue(text)}`);
  const ulid = upperCase(text);
  const uuid = readUuid(ulid, ULID_ALPHABET);
  const ms = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
  return { ulid, uuid, ms, date: new Date(ms), random: ulid.slice(10) };
}
