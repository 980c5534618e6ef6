import { formatValue } from '@ids/core/strategy';
import type { Transcoder } from './encode-ids.js';
import { isTypeidType, TYPE_RULE } from './typeid-type.js';
import { assertUuid, readUuid, TYPEID_ALPHABET, uuidWriter } from './uuid-base32.js';

/** The parts of a TypeID. */
export interface ParsedTypeid {
  /** The part before the last underscore; empty if there is none. */
  readonly type: string;
  /** A UUID of any version, in lower case. */
  readonly uuid: string;
}

/**
 * Encodes UUIDs as TypeIDs of `type` and decodes them, like `createCodec` with `form: 'typeid'`, but without
 * the code of the other forms: for web pages. `encode` accepts lower-case UUIDs of any version and throws a
 * `TypeError` for anything else. `decode` throws a `SyntaxError` for anything but a TypeID of this type.
 * Throws a `RangeError` unless `type` is empty, or 1 to 63 characters of a-z and _ with a letter at both
 * ends.
 */
export function createTypeidCodec(type = ''): Transcoder<string> {
  if (type !== '' && !isTypeidType(type)) {
    throw new RangeError(`the type of a TypeID ${TYPE_RULE}, or empty; got ${formatValue(type)}`);
  }
  const prefix = type === '' ? '' : `${type}_`;
  const write = uuidWriter(TYPEID_ALPHABET);
  return {
    encode: (uuid) => {
      assertUuid(uuid);
      return prefix + write(uuid);
    },
    decode: (text) => {
      const { type: found, uuid } = parseTypeid(text);
      if (found === type) return uuid;
      throw new SyntaxError(
        `${formatValue(text)} is a TypeID of type ${formatValue(found)}, not ${formatValue(type)}`,
      );
    },
  };
}

/**
 * Parses a TypeID of any type. Throws a `TypeError` if `text` is not a string, and a `SyntaxError` if it is
 * not a TypeID as specified: in lower case, with at most 128 bits.
 */
export function parseTypeid(text: string): ParsedTypeid {
  if (typeof text !== 'string') throw new TypeError(`a TypeID must be a string, got ${formatValue(text)}`);
  const end = text.lastIndexOf('_');
  const type = text.slice(0, Math.max(end, 0));
  if (end >= 0 && !isTypeidType(type)) {
    throw new SyntaxError(`the type of a TypeID ${TYPE_RULE}, got ${formatValue(type)}`);
  }
  return { type, uuid: readUuid(text.slice(end + 1), TYPEID_ALPHABET) };
}
