import { threeDigits } from '@ids/core/strategy';
import { exactNow } from '../exact-clock.js';
import {
  base64OfWords,
  IdWords,
  isHex,
  wordsOfBase64,
  wordsOfBytes,
  wordsOfHex,
  writeWords,
} from '../id-words.js';
// Imports the main entry, not its module: Node.js loads it as a single file, which contains the counter that
// both share.
import { randomIssuer } from '../index.js';
import { checkedSeconds, checkedText, hexOfLike, type ObjectIdLike, wordsOfInput } from '../input.js';
import type { ObjectIdIssuer } from '../issuer.js';
import { MAX_LEAD_SECONDS } from '../limits.js';
import { bsonObjectIdOf } from './bson-class.js';

type Inspect = (value: unknown, options?: unknown) => string;

/**
 * MongoDB's ObjectId with the interface of the class in `bson` 7. New ids have the layout `random` and are
 * increasing. docs/objectid.md lists the differences. Immutable: no method changes an id, and its private
 * fields must not be written. Not frozen, because that would make creation as slow as in `bson`.
 */
export class ObjectId {
  // Enumerable, so that assertions that compare objects by their properties compare the bytes. Declared
  // without a value: engines treat a field that exists before the constructor assigns its number as one of
  // any type, which stays slower.
  declare private readonly word0: number;
  declare private readonly word1: number;
  declare private readonly word2: number;
  declare private readonly word3: number;

  /**
   * Without `input`, creates a new id; throws like `nextSync` of `createObjectIdGenerator()`. With seconds
   * since 1970, from 0 to 2^32 - 1, creates a new id with that time; such ids are not ordered, and repeat
   * after 2^24 calls with the same time. Otherwise reads 24 hex digits, 12 bytes or an ObjectId of any
   * package. Throws a `TypeError` for any other type, and a `RangeError` for a string, bytes or seconds that
   * are not valid.
   */
  constructor(input?: string | number | Uint8Array | ObjectIdLike) {
    if (input === undefined) {
      const issuer = randomIssuer();
      const low = issuer.take(MAX_LEAD_SECONDS.borrow, exactNow());
      const { word0, word1, word2, word3 } = issuer.words ?? wordsOfPrefix(issuer);
      this.word0 = word0;
      this.word1 = word1;
      this.word2 = word2;
      this.word3 = word3 | low;
    } else if (typeof input === 'string') {
      // Checked before any digit is read: engines stop using the fast path once a read went past the end.
      if (input.length !== 24) checkedText(input);
      const { word0, word1, word2, word3 } = wordsOfHex(input);
      if ((word0 | word1 | word2 | word3) < 0) checkedText(input);
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

  /** The bytes of `new ObjectId(seconds)`. */
  static generate(seconds?: number): Uint8Array {
    return idOf(seconds).id;
  }

  /**
   * Creates a new id, so that the class itself can be the `pkFactory` of the MongoDB driver, after
   * `connectBson`.
   */
  static createPk(): ObjectId {
    return idOf();
  }

  /**
   * The lowest id of a second, for queries, never for inserts. `seconds` since 1970, from 0 to 2^32 - 1.
   * Throws a `RangeError` outside that range, and a `TypeError` if it is not a number.
   */
  static createFromTime(seconds: number): ObjectId {
    return idOf(withSeconds(new IdWords(0, 0, 0, 0), checkedSeconds(seconds)));
  }

  /** Reads 24 hex digits in either case. Throws a `RangeError` for any other string. */
  static createFromHexString(hex: string): ObjectId {
    return idOf(checkedText(hex));
  }

  /** Reads 16 base64 digits (with `+` and `/`). Throws a `RangeError` for any other string. */
  static createFromBase64(base64: string): ObjectId {
    return idOf(wordsOfBase64(base64));
  }

  /** Whether `value` is an id: 24 hex digits, 12 bytes or an ObjectId of any package. Never throws. */
  static isValid(value: unknown): boolean {
    if (typeof value === 'string') return isHex(value);
    try {
      return wordsOfObject(value) !== undefined;
    } catch {
      return false;
    }
  }

  /** For `sort`: the order of the bytes, which is also that of BSON and of the hex digits. */
  static compare(a: ObjectId, b: ObjectId): -1 | 0 | 1 {
    const difference = a.word0 - b.word0 || a.word1 - b.word1 || a.word2 - b.word2 || a.word3 - b.word3;
    return Math.sign(difference) as -1 | 0 | 1;
  }

  /** The 12 bytes as a new array: a `Buffer` where there is one, otherwise a `Uint8Array`. */
  get id(): Uint8Array {
    const bytes = globalThis.Buffer?.alloc(12) ?? new Uint8Array(12);
    writeWords(wordsOf(this), bytes, 0);
    return bytes;
  }

  /**
   * Writes the 12 bytes into `bytes`, starting at `index`, and returns 12. Throws a `RangeError` if they do
   * not fit.
   */
  serializeInto(bytes: Uint8Array, index: number): number {
    if (!Number.isInteger(index) || index < 0 || index + 12 > bytes.length) {
      throw new RangeError(`12 bytes do not fit at index ${index} of ${bytes.length} bytes`);
    }
    writeWords(wordsOf(this), bytes, index);
    return 12;
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

  /** 24 lower-case hex digits, or 16 base64 digits if `encoding` is `base64`. */
  toString(encoding?: 'hex' | 'base64'): string {
    return encoding === 'base64' ? base64OfWords(wordsOf(this)) : this.toHexString();
  }

  toJSON(): string {
    return this.toHexString();
  }

  /** The object that `bson` and the driver store instead of this one; see `connectBson`. */
  toBSON(): unknown {
    return bsonObjectIdOf(this);
  }

  /**
   * Whether `other` is the same id, as hex digits in either case or as an ObjectId of any package. `false`
   * for anything else.
   */
  equals(other: string | ObjectIdLike | undefined | null): boolean {
    // Recognised by its fields: checking the class takes half as long as everything else here.
    const words = other as Partial<IdWords> | undefined | null;
    if (words?.word3 !== undefined) {
      // The counter first, because it differs most often.
      return (
        words.word3 === this.word3 &&
        words.word2 === this.word2 &&
        words.word1 === this.word1 &&
        words.word0 === this.word0
      );
    }
    const hex = typeof other === 'string' ? other : hexOfLike(other);
    return typeof hex === 'string' && hex.toLowerCase() === this.toHexString();
  }

  /** The start of the second in which the id was issued, in milliseconds since the Unix epoch. */
  getTime(): number {
    return (this.word0 * 0x100 + (this.word1 >> 16)) * 1_000;
  }

  /** `getTime()` as a `Date`; several times slower. */
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

// The class does not use its own name in its body: bundlers would rename it to `_ObjectId`, and Mongoose
// recognises classes by name.

/** `new ObjectId` that also accepts words, which are not part of the public interface. */
function idOf(input?: string | number | IdWords): ObjectId {
  return new ObjectId(input as string | number | undefined);
}

function wordsOfPrefix(issuer: ObjectIdIssuer): IdWords {
  issuer.words = wordsOfHex(`${issuer.prefix}000`);
  return issuer.words;
}

function wordsOf(id: ObjectId): IdWords {
  return id as unknown as IdWords;
}

function wordsOfOther(input: unknown): IdWords {
  if (typeof input === 'number') return withSeconds(wordsOf(new ObjectId()), checkedSeconds(input));
  return wordsOfObject(input);
}

function wordsOfObject(input: unknown): IdWords {
  if (input instanceof ObjectId) return wordsOf(input);
  if (input instanceof IdWords) return input;
  if (input instanceof Uint8Array && input.length === 12) return wordsOfBytes(input);
  return wordsOfInput(input);
}

function withSeconds({ word1, word2, word3 }: IdWords, seconds: number): IdWords {
  return new IdWords(seconds >>> 8, ((seconds & 0xff) << 16) | (word1 & 0xffff), word2, word3);
}
