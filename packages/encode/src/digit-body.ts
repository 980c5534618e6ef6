import { type Guarantees, type Id, IdError, shownValue } from '@ids/core';
import type { Body } from './body.js';
import {
  ALPHABETS,
  type AlphabetName,
  checkDigit,
  digitsIn,
  fromDigits,
  isMixedCase,
  textOf,
  toDigits,
  widthOf,
} from './digits.js';
import type { EncodeOptions } from './encode-options.js';
import { type NumberOfId, numberOfId } from './number-of-id.js';
import { keyedPermutation, type Permutation, SMALLEST_DOMAIN } from './permutation.js';

/** Ids as digits of an alphabet, scattered where that is asked for, with a check digit likewise. */
export function digitBody(
  guarantees: Guarantees,
  options: EncodeOptions & { readonly as: AlphabetName },
): Body {
  const { as, check = false, obfuscate = false, key, prefix = '' } = options;
  const radix = ALPHABETS[as].length;
  const numbers = numberOfId(guarantees);
  if (numbers === undefined) {
    throw configError(`"as": these ids are text that is no number, so only "prefix" can be given`);
  }
  const full = widthOf(numbers.max, radix);
  const width = options.width ?? (obfuscate || numbers.wide ? full : undefined);
  assertWidth(width, full, radix, numbers, obfuscate);
  const permutation = obfuscate && key !== undefined ? keyedPermutation(radix, key, prefix) : undefined;
  const digits = digitCodec({ numbers, radix, width, permutation });
  const most = (width ?? full) + (check ? 1 : 0);
  const least = width === undefined ? (check ? 2 : 1) : most;
  return {
    pattern: `[${classOf(as)}]{${least === most ? most : `${least},${most}`}}`,
    maxLength: most,
    sortable: width !== undefined && !obfuscate,
    caseSensitive: isMixedCase(as),
    assertId: (id) => assertNumber(numbers, id),
    encode: (id) => {
      const body = digits.encode(id);
      if (check) body.push(checkDigit(body, radix));
      return textOf(as, body);
    },
    decode: (text) => {
      const read = digitsIn(as, text);
      if (read.length < least || read.length > most || read.includes(-1)) {
        const count = least === most ? `${most}` : `${least} to ${most}`;
        throw new SyntaxError(`${shownValue(text)} must be ${count} digits of ${as}`);
      }
      if (check && read.pop() !== checkDigit(read, radix)) {
        throw new SyntaxError(`${shownValue(text)} is mistyped: its check character does not fit`);
      }
      return digits.decode(read, text);
    },
  };
}

interface DigitCodecParts {
  readonly numbers: NumberOfId;
  readonly radix: number;
  readonly width: number | undefined;
  readonly permutation: Permutation | undefined;
}

function digitCodec({ numbers, radix, width, permutation }: DigitCodecParts) {
  return {
    encode(id: Id): number[] {
      const value = numbers.toNumber(id);
      const digits = toDigits(value, radix, width ?? 1);
      if (width !== undefined && digits.length > width) {
        throw new IdError(
          'ERR_IDS_EXHAUSTED',
          `encode: id ${String(id)} has ${digits.length} digits, more than the "width" of ${width}: choose a greater one`,
        );
      }
      return permutation?.scatter(digits) ?? digits;
    },
    decode(read: readonly number[], text: string): Id {
      const digits = permutation?.gather(read) ?? read;
      // One id has one text: no leading zeros but those of a fixed width.
      const padded = width === undefined && digits.length > 1 && digits[0] === 0;
      const value = fromDigits(digits, radix);
      const id = numbers.toId(value);
      // Not every number is an id: no text of decimal digits is 0.
      if (padded || value > numbers.max || !numbers.isId(id)) {
        throw new SyntaxError(`${shownValue(text)} is no id that was encoded`);
      }
      return id;
    },
  };
}

function assertNumber({ accepted, isId, max, toNumber }: NumberOfId, id: unknown): void {
  if (!isId(id)) throw new TypeError(`only ${accepted} can be encoded, got ${shownValue(id)}`);
  if (toNumber(id) > max) throw new RangeError(`only ids up to ${max} can be encoded, got ${shownValue(id)}`);
}

function assertWidth(
  width: number | undefined,
  full: number,
  radix: number,
  { wide }: NumberOfId,
  obfuscate: boolean,
): void {
  if (width === undefined) return;
  if (wide && width < full) {
    throw configError(`option "width": these ids need at least ${full} digits, got ${width}`);
  }
  if (obfuscate && BigInt(radix) ** BigInt(width) < SMALLEST_DOMAIN) {
    const least = widthOf(SMALLEST_DOMAIN - 1n, radix);
    throw configError(
      `option "width": obfuscated ids need at least ${least} digits to hide among, got ${width}`,
    );
  }
}

/** For a character class; none of the digits needs escaping. */
function classOf(as: AlphabetName): string {
  return { decimal: '0-9', hex: '0-9a-f', base62: '0-9A-Za-z', crockford: '0-9A-HJKMNP-TV-Z' }[as];
}

function configError(problem: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `encode: ${problem}`);
}
