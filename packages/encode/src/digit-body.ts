import { type Guarantees, type Id, IdError, isDecimal } from '@ids/core';
import { formatValue, ownText } from '@ids/core/strategy';
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
  type Whole,
  widthOf,
} from './digits.js';
import type { EncodeOptions } from './options.js';
import { keyedPermutation, type Permutation } from './permutation.js';

/** Ids as digits of an alphabet, optionally obfuscated and with a check digit. */
export function digitBody(
  guarantees: Guarantees,
  options: EncodeOptions & { readonly as: AlphabetName },
): Body {
  const { as, check = false, obfuscate = false, key, prefix = '' } = options;
  const radix = ALPHABETS[as].length;
  const numbers = numberOfId(guarantees);
  if (numbers === undefined) {
    throw configError('"as": these ids are not numbers, so only "prefix" can be used');
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
    alphabet: ALPHABETS[as],
    minLength: least,
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
        throw new SyntaxError(`${formatValue(text)} must be ${count} digits of ${as}`);
      }
      if (check && read.pop() !== checkDigit(read, radix)) {
        throw new SyntaxError(`${formatValue(text)} is mistyped: its check digit does not match`);
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
          `encode: id ${String(id)} has ${digits.length} digits, more than the "width" of ${width}: choose a greater "width", and read the texts of before by acceptFormer`,
        );
      }
      return permutation?.scatter(digits) ?? digits;
    },
    decode(read: readonly number[], text: string): Id {
      const digits = permutation?.gather(read) ?? read;
      // Each id has exactly one string, so leading zeros are allowed only with a fixed width.
      const padded = width === undefined && digits.length > 1 && digits[0] === 0;
      const value = fromDigits(digits, radix);
      const id = numbers.toId(value);
      // Not every number is an id: for example 0, where ids start at 1.
      if (padded || value > numbers.max || !numbers.isId(id)) {
        throw new SyntaxError(`${formatValue(text)} is not an id produced by this encoder`);
      }
      return id;
    },
  };
}

function assertNumber({ accepted, isId, max, toNumber }: NumberOfId, id: unknown): void {
  if (!isId(id)) throw new TypeError(`only ${accepted} can be encoded, got ${formatValue(id)}`);
  if (toNumber(id) > max)
    throw new RangeError(`only ids up to ${max} can be encoded, got ${formatValue(id)}`);
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

/** The digits for a character class; none needs escaping. */
function classOf(as: AlphabetName): string {
  return { decimal: '0-9', hex: '0-9a-f', base62: '0-9A-Za-z', crockford: '0-9A-HJKMNP-TV-Z' }[as];
}

function configError(problem: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `encode: ${problem}`);
}

/** How the ids of a strategy map to numbers. */
interface NumberOfId {
  /** The greatest possible id. */
  readonly max: bigint;
  /**
   * Whether ids use the whole range from the start, as random bits and leading times do. Otherwise they count
   * up from low numbers.
   */
  readonly wide: boolean;
  /** A description of ids, for error messages. */
  readonly accepted: string;
  /** Whether `toId` returns exactly `id` for the number of `id`, provided that it is at most `max`. */
  isId(id: unknown): id is Id;
  toNumber(id: Id): Whole;
  toId(value: bigint): Id;
}

/**
 * Derived from the guarantees; `undefined` for strings that are not numbers, such as gpids. Zeros are padded
 * only up to the shortest length, so that each number has one string.
 */
function numberOfId({ idType, text }: Guarantees): NumberOfId | undefined {
  const { minLength = 0, maxLength } = text;
  if (idType !== 'string') {
    const ofLength = 10n ** BigInt(maxLength) - 1n;
    if (idType === 'bigint') return { ...COUNTED, max: ofLength, isId: isBigCount, toId: (value) => value };
    const last = BigInt(Number.MAX_SAFE_INTEGER);
    return { ...COUNTED, max: ofLength < last ? ofLength : last, isId: isCount, toId: Number };
  }
  const radix = radixOf(text);
  if (radix === undefined) return undefined;
  const wide = minLength === maxLength;
  const isOwn = ownText(text);
  const digits = radix === 16 ? /^[0-9a-f]+$/ : /^[0-9]+$/;
  const toNumber = (id: Id) => BigInt(radix === 16 ? `0x${id}` : id);
  const toId = (value: bigint) => value.toString(radix).padStart(minLength, '0');
  return {
    max: BigInt(radix) ** BigInt(maxLength) - 1n,
    wide,
    accepted: 'ids of this strategy',
    isId: (id): id is string => isOwn(id) && digits.test(id) && toId(toNumber(id)) === id,
    toNumber,
    toId,
  };
}

/** 10 for strings of decimal digits, 16 for strings of lower-case hex digits. */
function radixOf(text: Guarantees['text']): 10 | 16 | undefined {
  if (isDecimal(text)) return 10;
  const { prefix = '', alphabet = '' } = text;
  return prefix === '' && /^[0-9a-f]+$/.test(alphabet) ? 16 : undefined;
}

const COUNTED = { wide: false, accepted: 'whole numbers from 0', toNumber: (id: Id) => id as Whole };

function isCount(id: unknown): id is number {
  // -0 would be decoded as 0.
  return Number.isSafeInteger(id) && (id as number) >= 0 && !Object.is(id, -0);
}

function isBigCount(id: unknown): id is bigint {
  return typeof id === 'bigint' && id >= 0n;
}

/** The fewest strings among which an id may be hidden: NIST SP 800-38G Rev. 1 requires a million for FF1. */
const SMALLEST_DOMAIN = 1_000_000n;
