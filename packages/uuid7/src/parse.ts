import type { IdPart } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { bytesOfText, checkedText, isBytes } from './layout.js';

/** The parts of a UUID of version 7. */
export interface ParsedUuid7 {
  /** The whole UUID in lower case. */
  readonly uuid: string;
  /** Milliseconds since the Unix epoch, 0 .. 2^48 - 1. */
  readonly ms: number;
  /** The same as a `Date`. */
  readonly date: Date;
  /**
   * The 12 bits after the version and the first 30 after the variant, 0 .. 2^42 - 1. In ids of this package,
   * a counter that starts at a random value in each millisecond. Postgres stores a fraction of the
   * millisecond in the upper 12 bits; other generators use random bits.
   */
  readonly counter: number;
  /** The last 32 bits, 0 .. 2^32 - 1. */
  readonly random: number;
}

/**
 * Parses a UUID of version 7 from any generator: a string in either case, or 16 bytes. Throws a `TypeError`
 * if `id` is neither a string nor a `Uint8Array`, and a `RangeError` if it is not a UUID of version 7 and of
 * the RFC 9562 variant.
 */
export function parseUuid7(id: string | Uint8Array): ParsedUuid7 {
  const uuid = checkedText(id);
  const ms = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
  const randA = Number.parseInt(uuid.slice(15, 18), 16);
  // 30 bits after the two of the variant.
  const randB = Number.parseInt(uuid.slice(19, 23) + uuid.slice(24, 28), 16) & 0x3fff_ffff;
  const random = Number.parseInt(uuid.slice(28), 16);
  return { uuid, ms, date: new Date(ms), counter: randA * 0x4000_0000 + randB, random };
}

/** Whether `parseUuid7` accepts `id`. Never throws. */
export function isUuid7(id: unknown): id is string | Uint8Array {
  try {
    checkedText(id);
    return true;
  } catch {
    return false;
  }
}

/** The 16 bytes of a UUID of version 7, as stored in a `binary(16)` column. Throws like `parseUuid7`. */
export function uuid7ToBytes(id: string): Uint8Array {
  if (typeof id !== 'string') throw new TypeError(`must be a UUID as a string, got ${formatValue(id)}`);
  return bytesOfText(checkedText(id));
}

/** The UUID of version 7 with these 16 bytes, in lower case. Throws like `parseUuid7`. */
export function uuid7FromBytes(bytes: Uint8Array): string {
  if (!isBytes(bytes)) throw new TypeError(`must be a UUID as a Uint8Array, got ${formatValue(bytes)}`);
  return checkedText(bytes);
}

/**
 * The parts of `text` for display. Returns `undefined` unless `text` is a UUID of version 7 in lower case.
 * Never throws.
 */
export function inspectUuid7(text: string): readonly IdPart[] | undefined {
  if (!isUuid7(text)) return undefined;
  const { uuid, date, counter, random } = parseUuid7(text);
  if (uuid !== text) return undefined;
  return [
    { name: 'time', value: date.toISOString() },
    { name: 'counter', value: String(counter), note: 'starts at a random value in each millisecond' },
    { name: 'random', value: random.toString(16).padStart(8, '0') },
  ];
}
