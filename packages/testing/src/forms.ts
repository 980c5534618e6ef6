import { type Guarantees, type Id, isDecimal, isUuid } from '@ids/core';
import { hexDigits } from '@ids/core/strategy';

/** The place of an id among those of all tests. */
export interface TestPlace {
  /** From 1. */
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** 0 .. 4095 */
  readonly seed: number;
}

/** Numbers of two seeds are so far apart. */
const PER_SEED = 1_000_000;

/** How ids with these guarantees are written; `undefined` for a form that is not known here. */
export function formOf({ idType, text }: Guarantees): ((place: TestPlace) => Id) | undefined {
  const numberOf = ({ count, seed }: TestPlace) => seed * PER_SEED + count;
  if (idType === 'number') return numberOf;
  if (idType === 'bigint') return (place) => BigInt(numberOf(place));
  if (isDecimal(text)) return (place) => String(numberOf(place)).padStart(text.minLength ?? 1, '0');
  if (isUuid(text)) return uuidOf;
  return text.maxLength === 24 && text.alphabet === '0123456789abcdef' ? objectIdOf : undefined;
}

/** Of version 7: the seed follows the version, and the count is at the end. */
function uuidOf({ count, ms, seed }: TestPlace): string {
  const time = hexDigits(ms, 12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hexDigits(seed, 3)}-8000-${hexDigits(count, 12)}`;
}

/** The seed is where the bytes of a process are. */
function objectIdOf({ count, ms, seed }: TestPlace): string {
  return hexDigits(Math.floor(ms / 1_000), 8) + hexDigits(seed, 10) + hexDigits(count, 6);
}
