import { type Guarantees, IdError, isUuid } from '@ids/core';
import { formatValue, ownText } from '@ids/core/strategy';
import type { Body } from './body.js';
import type { FormName } from './forms.js';
import { type HiddenUuids, hiddenUuids, uuidPattern } from './hidden-uuid.js';
import type { EncodeOptions } from './options.js';
import { DIGITS, readUuid, TYPEID_ALPHABET, ULID_ALPHABET, upperCase, uuidWriter } from './uuid-base32.js';

/**
 * UUIDs as the suffix of a TypeID (https://github.com/jetify-com/typeid, spec 0.3) or as a ULID
 * (https://github.com/ulid/spec). Both are the 128 bits in Crockford's base32: a TypeID in lower case, a ULID
 * in upper case.
 */
export function uuidBody({ text }: Guarantees, form: FormName, options: EncodeOptions): Body {
  if (!isUuid(text)) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `encode: option "form": "${form}" needs UUIDs, which this strategy does not issue`,
    );
  }
  const hidden = options.obfuscate ? hiddenBy(text, options) : undefined;
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
    sortable: text.sortable && hidden === undefined,
    caseSensitive: false,
    assertId: assertOwn(isOwn),
    encode: (id) => write(hidden?.hide(String(id)) ?? String(id)),
    decode: (rest) => {
      // ULIDs are case-insensitive, TypeIDs are not. Neither allows hyphens, I, L, O or U.
      const uuid = readUuid(isTypeid ? rest : upperCase(rest), alphabet);
      const id = hidden?.show(uuid) ?? uuid;
      if (!isOwn(id))
        throw new SyntaxError(`${formatValue(rest)} is not an id of this strategy: it is ${uuid}`);
      return id;
    },
  };
}

/** UUIDs of version 7 that look like random ones, and tell nothing without the key. */
export function hiddenUuidBody({ text }: Guarantees, options: EncodeOptions): Body {
  const { hide, show } = hiddenBy(text, options);
  const isOwn = ownText(text);
  return {
    pattern: uuidPattern(options.version ?? 4),
    alphabet: '-0123456789abcdef',
    minLength: 36,
    maxLength: 36,
    sortable: false,
    caseSensitive: false,
    assertId: assertOwn(isOwn),
    encode: (id) => hide(String(id)),
    decode: (rest) => {
      const id = show(rest);
      if (isOwn(id)) return id;
      throw new SyntaxError(`${formatValue(rest)} is not an id of this strategy`);
    },
  };
}

function assertOwn(isOwn: (id: unknown) => boolean): Body['assertId'] {
  return (id) => {
    if (!isOwn(id)) throw new TypeError(`only ids of this strategy can be encoded, got ${formatValue(id)}`);
  };
}

const [OF_VERSION_7, OF_VERSION_4] = [7, 4].map((version) => `018f22e2-79b0-${version}cc3-98c4-dc0c0c07398f`);

/** The prefix is the tweak, so that types that share a key are hidden in different ways. */
function hiddenBy(text: Guarantees['text'], { key, prefix = '', version = 4 }: EncodeOptions): HiddenUuids {
  const isOwn = ownText(text);
  if (isUuid(text) && isOwn(OF_VERSION_7) && !isOwn(OF_VERSION_4) && key !== undefined) {
    return hiddenUuids(key, prefix, version);
  }
  throw new IdError(
    'ERR_IDS_CONFIG',
    'encode: "obfuscate" needs digits or UUIDs of version 7, which this strategy does not issue: set "as" too',
  );
}
