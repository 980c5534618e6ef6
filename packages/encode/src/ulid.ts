import { formatValue } from '@ids/core/strategy';
import type { Transcoder } from './encode-ids.js';
import { assertUuid, readUuid, ULID_ALPHABET, upperCase, uuidWriter } from './uuid-base32.js';

/** The parts of a ULID. */
export interface ParsedUlid {
  /** The whole ULID in upper case. */
  readonly ulid: string;
  /** The same 128 bits as a UUID, in lower case. */
  readonly uuid: string;
  /** Milliseconds since the Unix epoch, 0 .. 2^48 - 1. */
  readonly ms: number;
  /** The same as a `Date`. */
  readonly date: Date;
  /**
   * The last 80 bits as 16 digits of base32. Some issuers make them increase within a millisecond. In a UUID
   * of version 7, they include the version and the variant.
   */
  readonly random: string;
}

/**
 * Encodes UUIDs as ULIDs and decodes them, like `createCodec` with `form: 'ulid'`, but without the code of
 * the other forms: for web pages. `encode` accepts lower-case UUIDs of any version and throws a `TypeError`
 * for anything else. `decode` accepts ULIDs in either case and throws a `TypeError` if the value is not a
 * string, and a `SyntaxError` if it is not a ULID.
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
 * Parses a ULID of any issuer, in either case. Throws a `TypeError` if `text` is not a string, and a
 * `SyntaxError` if it is not a ULID (https://github.com/ulid/spec) of at most 128 bits.
 */
export function parseUlid(text: string): ParsedUlid {
  if (typeof text !== 'string') throw new TypeError(`a ULID must be a string, got ${formatValue(text)}`);
  const ulid = upperCase(text);
  const uuid = readUuid(ulid, ULID_ALPHABET);
  const ms = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
  return { ulid, uuid, ms, date: new Date(ms), random: ulid.slice(10) };
}
