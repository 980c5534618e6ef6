import { shownValue } from '@ids/core/strategy';
import type { Transcoder } from './encode-ids.js';
import { isTypeidType, TYPE_RULE } from './typeid-type.js';
import { assertUuid, readUuid, TYPEID_ALPHABET, uuidWriter } from './uuid-base32.js';

/** What a TypeID consists of. */
export interface ParsedTypeid {
  /** What precedes the last underscore; empty where there is none. */
  readonly type: string;
  /** In lower case, of any version. */
  readonly uuid: string;
}

/**
 * Writes UUIDs as TypeIDs of `type`, and reads them again: what `createCodec` does with `form: 'typeid'`, for
 * a web page, where its other forms would be loaded in vain. UUIDs of any version are accepted, in lower
 * case. `encode` throws a `TypeError` for anything else, `decode` a `SyntaxError` for whatever is not a
 * TypeID of this type. Throws a `RangeError` unless `type` is empty, or 1 to 63 characters of a-z and _ with
 * a letter at both ends.
 */
export function createTypeidCodec(type = ''): Transcoder<string> {
  if (type !== '' && !isTypeidType(type)) {
    throw new RangeError(`the type of a TypeID ${TYPE_RULE}, or empty; got ${shownValue(type)}`);
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
        `${shownValue(text)} is a TypeID of type ${shownValue(found)}, not ${shownValue(type)}`,
      );
    },
  };
}

/**
 * The parts of a TypeID of any type. Throws a `TypeError` unless `text` is a string, a `SyntaxError` unless
 * it is a TypeID as its specification has it: in lower case, and of 128 bits.
 */
export function parseTypeid(text: string): ParsedTypeid {
  if (typeof text !== 'string') throw new TypeError(`a TypeID must be a string, got ${shownValue(text)}`);
  const end = text.lastIndexOf('_');
  const type = text.slice(0, Math.max(end, 0));
  if (end >= 0 && !isTypeidType(type)) {
    throw new SyntaxError(`the type of a TypeID ${TYPE_RULE}, got ${shownValue(type)}`);
  }
  return { type, uuid: readUuid(text.slice(end + 1), TYPEID_ALPHABET) };
}
