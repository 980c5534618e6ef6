import { type Guarantees, IdError, isUuid } from '@ids/core';
import { shownValue } from '@ids/core/strategy';
import { type Body, ownText } from './body.js';
import { ALPHABETS } from './digits.js';

/** The spellings of 128 bits that have a name. */
export const FORMS = ['typeid', 'ulid'] as const;

export type FormName = (typeof FORMS)[number];

/** 26 digits of five bits each; the first one has three bits, so it is 7 at most. */
const DIGITS = 26;

/**
 * UUIDs as the suffix of a TypeID (https://github.com/jetify-com/typeid, spec 0.3) or as a ULID
 * (https://github.com/ulid/spec): both are the 128 bits in Crockford's base32, the one in lower case.
 */
export function uuidBody({ text }: Guarantees, form: FormName): Body {
  if (!isUuid(text)) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `encode: option "form": "${form}" is for UUIDs, and these ids are none`,
    );
  }
  const isOwn = ownText(text);
  const isTypeid = form === 'typeid';
  const alphabet = isTypeid ? ALPHABETS.crockford.toLowerCase() : ALPHABETS.crockford;
  const write = writerOf(alphabet);
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
      // The specification of ULID ignores case, that of TypeID does not. Neither has hyphens, I, L, O or U.
      const values = Array.from(isTypeid ? rest : upperCase(rest), (digit) => alphabet.indexOf(digit));
      if (values.length !== DIGITS || values.includes(-1)) {
        const wanted = `${DIGITS} digits of base32${isTypeid ? ' in lower case' : ''}`;
        throw new SyntaxError(`${shownValue(rest)} must be ${wanted}, without i, l, o and u`);
      }
      if ((values[0] as number) > 7) {
        throw new SyntaxError(`${shownValue(rest)} is more than 128 bits: its first digit must be 0 to 7`);
      }
      const id = uuidOf(values);
      if (!isOwn(id)) throw new SyntaxError(`${shownValue(rest)} is no id of this strategy: it is ${id}`);
      return id;
    },
  };
}

/** Where the 32 hex digits of a UUID are. */
const PLACES = Array.from('00000000-0000-0000-0000-000000000000').flatMap((digit, at) =>
  digit === '0' ? [at] : [],
);

/**
 * Writes UUIDs in `alphabet`: 2 hex digits make the first 2 of base32, and 5 make 4 of them six times, which
 * is 20 bits each.
 */
function writerOf(alphabet: string): (uuid: string) => string {
  const pairs = Array.from(alphabet).flatMap((high) => Array.from(alphabet, (low) => high + low));
  const values = new Uint8Array(128);
  for (const digit of '0123456789abcdef') values[digit.charCodeAt(0)] = Number.parseInt(digit, 16);
  const read = (uuid: string, first: number, count: number): number => {
    let value = 0;
    for (let index = first; index < first + count; index++) {
      value = (value << 4) | (values[uuid.charCodeAt(PLACES[index] as number)] as number);
    }
    return value;
  };
  return (uuid) => {
    let text = pairs[read(uuid, 0, 2)] as string;
    for (let index = 2; index < 32; index += 5) {
      const value = read(uuid, index, 5);
      text += `${pairs[value >>> 10]}${pairs[value & 0x3ff]}`;
    }
    return text;
  };
}

function uuidOf(values: readonly number[]): string {
  const read = (at: number, count: number): number =>
    values.slice(at, at + count).reduce((value, digit) => value * 32 + digit, 0);
  let hex = hexDigits(read(0, 2), 2);
  for (let at = 2; at < DIGITS; at += 4) hex += hexDigits(read(at, 4), 5);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function hexDigits(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}

/** Of the 26 letters only: toUpperCase makes S of ſ and I of ı. */
function upperCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
