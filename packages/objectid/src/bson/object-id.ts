import { exactNow } from '../exact-clock.js';
// The main entry and not its module: Node.js loads that as one file, which holds the
// counter that both issue from.
import { randomIssuer } from '../index.js';
import { checkedSeconds, checkedText, hexOfLike, type ObjectIdLike, wordsOfInput } from '../input.js';
import type { ObjectIdIssuer } from '../issuer.js';
import { MAX_LEAD_SECONDS } from '../limits.js';
import {
  base64OfWords,
  IdWords,
  isHex,
  threeDigits,
  wordsOfBase64,
  wordsOfBytes,
  wordsOfHex,
  writeWords,
} from '../words.js';
import { bsonObjectIdOf } from './bson-class.js';

type Inspect = (value: unknown, options?: unknown) => string;

/**
 * MongoDB's ObjectId under the names of the class in `bson` 7, issued in the layout `random`, each
 * above the one before it. docs/objectid.md lists where it differs. Nothing that it has changes it. It is not
 * frozen, which would make a new one take as long as that of `bson`: what is private to the type
 * checker must not be written.
 */
export class ObjectId {
  // Enumerable, so that assertions which compare objects by their properties compare ids by their bytes.
  // Declared only: a field that is made before the constructor gives it its number is one of any type to
  // engines, and slower for ever.
  declare private readonly word0: number;
  declare private readonly word1: number;
  declare private readonly word2: number;
  declare private readonly word3: number;

  /**
   * Without `input` a new id, or what `nextSync` of `createObjectIdGenerator()` throws. With seconds since
   * 1970, from 0 to 2^32 - 1, a new id of that time, which is in no order with others, and which comes
   * again after 2^24 calls with one time. Else the id that 24 hex digits, 12 bytes or an ObjectId of any
   * package stand for. Throws a `TypeError` for what is none of these, a `RangeError` for strings,
   * bytes or seconds that no id has.
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
      // Before any digit is read: engines give up their fastest way of reading where
      // it once went past the end.
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

  /** The bytes of a new id, as `new ObjectId(seconds)` has them. */
  static generate(seconds?: number): Uint8Array {
    return idOf(seconds).id;
  }

  /** A new id: what makes the class itself a `pkFactory` of the MongoDB driver, after `connectBson`. */
  static createPk(): ObjectId {
    return idOf();
  }

  /**
   * The lowest id of a second, for queries, never for inserts. `seconds`: since 1970, from 0 to 2^32
   * - 1, else a `RangeError`.
   */
  static createFromTime(seconds: number): ObjectId {
    return idOf(withSeconds(new IdWords(0, 0, 0, 0), checkedSeconds(seconds)));
  }

  /** Throws a `RangeError` unless `hex` is 24 hex digits of either case. */
  static createFromHexString(hex: string): ObjectId {
    return idOf(checkedText(hex));
  }

  /** Throws a `RangeError` unless `base64` is 16 digits of the alphabet with `+` and `/`. */
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

  /** For `sort`: the order of the bytes, which is that of BSON and of the hex digits. */
  static compare(a: ObjectId, b: ObjectId): -1 | 0 | 1 {
    const difference = a.word0 - b.word0 || a.word1 - b.word1 || a.word2 - b.word2 || a.word3 - b.word3;
    return Math.sign(difference) as -1 | 0 | 1;
  }

  /** The 12 bytes, a new array each time: a `Buffer` where there is one. */
  get id(): Uint8Array {
    const bytes = globalThis.Buffer?.alloc(12) ?? new Uint8Array(12);
    writeWords(wordsOf(this), bytes, 0);
    return bytes;
  }

  /**
   * Writes the 12 bytes into `bytes` from `index` on, and returns 12. Throws a `RangeError` where
   * there is no room for them.
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

  /** Hex digits unless `encoding` is `base64`. */
  toString(encoding?: 'hex' | 'base64'): string {
    return encoding === 'base64' ? base64OfWords(wordsOf(this)) : this.toHexString();
  }

  toJSON(): string {
    return this.toHexString();
  }

  /** What `bson` and the driver store in place of this: see `connectBson`. */
  toBSON(): unknown {
    return bsonObjectIdOf(this);
  }

  /**
   * Whether `other` is the same id: hex digits of either case, or an ObjectId of any package.
   * `false` for what is none.
   */
  equals(other: string | ObjectIdLike | undefined | null): boolean {
    // Known by what it is made of: to ask for its class takes engines half as long as all of the rest.
    const words = other as Partial<IdWords> | undefined | null;
    if (words?.word3 !== undefined) {
      // The counter first: it is what differs most often.
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

// A class that names itself in its body gets another name where it is bundled: `_ObjectId`, and Mongoose
// knows classes by their names.

/** Words are what users do not know of. */
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
