import { base64OfBytes, bytesOfBase64 } from './base64.js';
import { bsonObjectIdOf } from './bson-class.js';
import { hexDigits, threeDigits } from './hex-digits.js';
import { type IdWords, isHex, wordReader } from './id-words.js';
import { MAX_LEAD_SECONDS } from './limits.js';
import {
  checkedSeconds,
  checkedText,
  hexOfLike,
  type ObjectIdLike,
  wordsOfInput,
} from './object-id-input.js';
import { randomIssuer } from './random-layout.js';

type Inspect = (value: unknown, options?: unknown) => string;

/**
 * MongoDB's ObjectId under the names of the class in `bson` 7, issued in the layout `random`, each above the one before it. The
 * README lists where it differs. Immutable.
 */
export class ObjectId {
  // Enumerable, so that assertions which compare objects by their properties compare ids by their bytes.
  private readonly word0: number;
  private readonly word1: number;
  private readonly word2: number;
  private readonly word3: number;

  /**
   * Without `input` a new id, or what `nextSync` of `createObjectIdGenerator()` throws. With seconds since 1970, from 0 to 2^32 - 1,
   * a new id of that time, which is in no order with others. Else the id that 24 hex digits, 12 bytes or an ObjectId of any package
   * stand for. Throws a `TypeError` for what is none of these, a `RangeError` for such text, bytes or seconds as no id has.
   */
  constructor(input?: string | number | Uint8Array | ObjectIdLike) {
    if (input === undefined) {
      const issuer = randomIssuer();
      const low = issuer.take(MAX_LEAD_SECONDS.borrow, Date.now());
      this.word0 = issuer.word0;
      this.word1 = issuer.word1;
      this.word2 = issuer.word2;
      this.word3 = issuer.word3 | low;
    } else if (typeof input === 'string') {
      const word = wordReader();
      const word0 = word(input, 0);
      const word1 = word(input, 6);
      const word2 = word(input, 12);
      const word3 = word(input, 18);
      if (input.length !== 24 || (word0 | word1 | word2 | word3) < 0) checkedText(input);
      this.word0 = word0;
      this.word1 = word1;
      this.word2 = word2;
      this.word3 = word3;
    } else {
      const words = wordsOfOther(input);
      this.word0 = words.word0;
      this.word1 = words.word1;
      this.word2 = words.word2;
      this.word3 = words.word3;
    }
  }

  /** The bytes of a new id, as `new ObjectId(seconds)` has them. */
  static generate(seconds?: number): Uint8Array {
    return new ObjectId(seconds).id;
  }

  /** The lowest id of a second, for queries, never for inserts. `seconds`: since 1970, from 0 to 2^32 - 1, else a `RangeError`. */
  static createFromTime(seconds: number): ObjectId {
    return new ObjectId(hexDigits(checkedSeconds(seconds), 8) + '0'.repeat(16));
  }

  /** Throws a `RangeError` unless `hex` is 24 hex digits of either case. */
  static createFromHexString(hex: string): ObjectId {
    return new ObjectId(checkedText(hex));
  }

  /** Throws a `RangeError` unless `base64` is 16 digits of the alphabet with `+` and `/`. */
  static createFromBase64(base64: string): ObjectId {
    return new ObjectId(bytesOfBase64(base64));
  }

  /** Whether `value` is an id: 24 hex digits, 12 bytes or an ObjectId of any package. Never throws. */
  static isValid(value: unknown): boolean {
    if (typeof value === 'string') return isHex(value);
    if (value instanceof ObjectId) return true;
    try {
      return wordsOfInput(value) !== undefined;
    } catch {
      return false;
    }
  }

  /** For `sort`: the order of the bytes, which is that of BSON and of the hex digits. */
  static compare(a: ObjectId, b: ObjectId): -1 | 0 | 1 {
    const difference = a.word0 - b.word0 || a.word1 - b.word1 || a.word2 - b.word2 || a.word3 - b.word3;
    return difference < 0 ? -1 : difference > 0 ? 1 : 0;
  }

  /** The 12 bytes, a new array each time: a `Buffer` where there is one. */
  get id(): Uint8Array {
    const bytes = globalThis.Buffer?.alloc(12) ?? new Uint8Array(12);
    [this.word0, this.word1, this.word2, this.word3].forEach((word, index) => {
      bytes[3 * index] = word >> 16;
      bytes[3 * index + 1] = word >> 8;
      bytes[3 * index + 2] = word;
    });
    return bytes;
  }

  /** 24 lower-case hex digits. */
  toHexString(): string {
    const digits = threeDigits();
    const { word0, word1, word2, word3 } = this;
    return (
      `${digits[word0 >> 12]}${digits[word0 & 0xfff]}${digits[word1 >> 12]}${digits[word1 & 0xfff]}` +
      `${digits[word2 >> 12]}${digits[word2 & 0xfff]}${digits[word3 >> 12]}${digits[word3 & 0xfff]}`
    );
  }

  /** Hex digits unless `encoding` is `base64`. */
  toString(encoding?: 'hex' | 'base64'): string {
    return encoding === 'base64' ? base64OfBytes(this.id) : this.toHexString();
  }

  toJSON(): string {
    return this.toHexString();
  }

  /** What `bson` and the driver store in place of this: see `connectBson`. */
  toBSON(): unknown {
    return bsonObjectIdOf(this.toHexString());
  }

  /** Whether `other` is the same id: hex digits of either case, or an ObjectId of any package. Never throws for what is none. */
  equals(other: string | ObjectIdLike | undefined | null): boolean {
    // Without asking for its class, which costs more than the comparison: what is no ObjectId of ours has no such words.
    const words = other as Partial<IdWords> | undefined | null;
    // The counter first: it is what differs most often.
    if (
      words?.word3 === this.word3 &&
      words.word2 === this.word2 &&
      words.word1 === this.word1 &&
      words.word0 === this.word0
    )
      return true;
    if (other instanceof ObjectId) return false;
    const hex = typeof other === 'string' ? other : hexOfLike(other);
    return typeof hex === 'string' && hex.toLowerCase() === this.toHexString();
  }

  /** The start of the second in which the id was issued, in milliseconds since 1970. */
  getTime(): number {
    return (this.word0 * 0x100 + (this.word1 >> 16)) * 1_000;
  }

  /** `getTime()` as a `Date`, which costs several times as much. */
  getTimestamp(): Date {
    return new Date(this.getTime());
  }

  inspect(_depth?: number, options?: unknown, inspect: Inspect = (hex) => `'${hex}'`): string {
    return `new ObjectId(${inspect(this.toHexString(), options)})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth?: number, options?: unknown, inspect?: Inspect): string {
    return this.inspect(depth, options, inspect);
  }
}

function wordsOfOther(input: unknown): IdWords {
  if (typeof input !== 'number') return wordsOfInput(input);
  const seconds = checkedSeconds(input);
  const issuer = randomIssuer();
  const low = issuer.take(MAX_LEAD_SECONDS.borrow, Date.now());
  const { word1, word2, word3 } = issuer;
  return {
    word0: seconds >>> 8,
    word1: ((seconds & 0xff) << 16) | (word1 & 0xffff),
    word2,
    word3: word3 | low,
  };
}
