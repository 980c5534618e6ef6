import { formatValue } from '@ids/core/strategy';

// Crockford's base32, which has no I, L, O and U: in lower case for TypeIDs, in upper case for ULIDs.
export const TYPEID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
export const ULID_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 26 digits of five bits. The first has only three bits, so it is at most 7. */
export const DIGITS = 26;

/** The positions of the 32 hex digits in a UUID. */
const PLACES = [...Array(36).keys()].filter((at) => ![8, 13, 18, 23].includes(at));

/**
 * Returns a function that writes UUIDs in `alphabet`: the first 2 hex digits become 2 digits of base32, then
 * 5 hex digits (20 bits) become 4, six times.
 */
export function uuidWriter(alphabet: string): (uuid: string) => string {
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

/** Throws a `TypeError` unless `uuid` is a UUID in lower case, the only form that `decode` returns. */
export function assertUuid(uuid: unknown): void {
  if (typeof uuid === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)) return;
  throw new TypeError(`only UUIDs in lower case can be encoded, got ${formatValue(uuid)}`);
}

/** Reads 26 digits of `alphabet` as a UUID in lower case. Throws a `SyntaxError` for any other string. */
export function readUuid(text: string, alphabet: string): string {
  const values = Array.from(text, (digit) => alphabet.indexOf(digit));
  if (values.length !== DIGITS || values.includes(-1)) {
    const letters = alphabet === TYPEID_ALPHABET ? ' in lower case' : '';
    throw new SyntaxError(
      `${formatValue(text)} must be ${DIGITS} digits of base32${letters}, without i, l, o and u`,
    );
  }
  if ((values[0] as number) > 7) {
    throw new SyntaxError(`${formatValue(text)} is more than 128 bits: its first digit must be 0 to 7`);
  }
  const bits = values.reduce((read, digit) => (read << 5n) | BigInt(digit), 0n);
  const hex = bits.toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Only the 26 letters: toUpperCase would also turn ſ into S, ı into I and ﬅ into ST. */
export function upperCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
