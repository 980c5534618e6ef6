import { type Guarantees, IdError, isUuid } from '@ids/core';
import { shownValue } from '@ids/core/strategy';
import { type Body, ownText } from './body.js';
import { DIGITS, readUuid, TYPEID_ALPHABET, ULID_ALPHABET, upperCase, uuidWriter } from './uuid-base32.js';

/** The named ways to write 128 bits. */
export const FORMS = ['typeid', 'ulid'] as const;

export type FormName = (typeof FORMS)[number];

/**
 * UUIDs as the suffix of a TypeID (https://github.com/jetify-com/typeid, spec 0.3) or as a ULID
 * (https://github.com/ulid/spec). Both are the 128 bits in Crockford's base32: a TypeID in lower case, a ULID
 * in upper case.
 */
export function uuidBody({ text }: Guarantees, form: FormName): Body {
  if (!isUuid(text)) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `encode: option "form": "${form}" needs UUIDs, which this strategy does not issue`,
    );
  }
  const isOwn = ownText(text);
  const isTypeid = form === 'typeid';
  const alphabet = isTypeid ? TYPEID_ALPHABET : ULID_ALPHABET;
  const write = uuidWriter(alphabet);
  const digits = isTypeid ? '0-9a-hjkmnp-tv-z' : '0-9A-HJKMNP-TV-Z';
  return {
    pattern: `[0-7][${digits}]{${DIGITS - 1}}`,
    alphabet,
    minLength: DIGITS,
    maxLength: DIGITS,
    sortable: text.sortable,
    caseSensitive: false,
    assertId: (id) => {
      if (isOwn(id)) return;
      throw new TypeError(`only ids of this strategy can be encoded, got ${shownValue(id)}`);
    },
    encode: (id) => write(String(id)),
    decode: (rest) => {
      // ULIDs are case-insensitive, TypeIDs are not. Neither allows hyphens, I, L, O or U.
      const id = readUuid(isTypeid ? rest : upperCase(rest), alphabet);
      if (!isOwn(id)) throw new SyntaxError(`${shownValue(rest)} is not an id of this strategy: it is ${id}`);
      return id;
    },
  };
}
