import { IdError } from '@ids/core';
import { formatValue, randomValues } from '@ids/core/strategy';

export interface RandomCodesOptions {
  /**
   * The characters of a code, each as likely as the others: 2 to 94 different ones of printable ASCII. By
   * default digits and lower-case letters without i, l, o and u, which are taken for others.
   */
  readonly alphabet?: string | undefined;
  /** How many characters a code has: 1 to 128. Default 12, which is 60 bits with the default alphabet. */
  readonly length?: number | undefined;
}

/**
 * Short random strings for links, invitations and coupons. Unlike ids they can repeat: give their column a
 * unique index, and insert a row that it rejects again with another code.
 */
export interface RandomCodes {
  /** Matches the whole of every code. */
  readonly pattern: RegExp;
  /** The entropy of a code. With n codes in use, one guess in 2^bits / n hits one of them. */
  readonly bits: number;
  /** A new code, by the random numbers of `crypto`. */
  next(): string;
  /** The probability, from 0 to 1, that two or more of `count` codes are equal. */
  collisionProbability(count: number): number;
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const MAX_LENGTH = 128;

/** Throws `ERR_IDS_CONFIG` if an option is wrong. */
export function createRandomCodes(options: RandomCodesOptions = {}): RandomCodes {
  const { alphabet = ALPHABET, length = 12 } = options;
  assertOptions(alphabet, length);
  const size = alphabet.length;
  // A byte above this would make the first characters likelier.
  const limit = 256 - (256 % size);
  const possible = size ** length;
  return {
    pattern: new RegExp(`^[${alphabet.replace(/[\\\]^-]/g, '\\$&')}]{${length}}$`),
    bits: length * Math.log2(size),
    next() {
      let code = '';
      while (code.length < length) {
        // Drawn for each code: what is kept in memory is the same in each copy of a snapshot of this process.
        const bytes = new Uint8Array(randomValues(new Uint32Array(Math.ceil(length / 4))).buffer);
        for (const byte of bytes)
          if (byte < limit && code.length < length) code += alphabet.charAt(byte % size);
      }
      return code;
    },
    collisionProbability(count) {
      if (!(count >= 0)) throw new RangeError(`count must be a number from 0 on, got ${formatValue(count)}`);
      // That of the birthday problem, approximated for counts that are small beside the number of codes.
      return count > possible ? 1 : -Math.expm1(-((count * Math.max(0, count - 1)) / 2 / possible));
    },
  };
}

function assertOptions(alphabet: unknown, length: unknown): void {
  const isAlphabet =
    typeof alphabet === 'string' &&
    /^[!-~]{2,94}$/.test(alphabet) &&
    new Set(alphabet).size === alphabet.length;
  if (!isAlphabet) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `alphabet: must be 2 to 94 different printable ASCII characters without white space, got ${formatValue(alphabet)}`,
    );
  }
  if (Number.isInteger(length) && Number(length) >= 1 && Number(length) <= MAX_LENGTH) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `length: must be a whole number from 1 to ${MAX_LENGTH}, got ${formatValue(length)}`,
  );
}
