import { formatValue } from '@ids/core/strategy';
import { keyedPermutation } from './permutation.js';

/** The versions that a hidden UUID can have. */
export const HIDDEN_VERSIONS = [4, 8] as const;

export type HiddenVersion = (typeof HIDDEN_VERSIONS)[number];

/** Writes UUIDs of version 7 as UUIDs of another version, which tell nothing, and reads those. */
export interface HiddenUuids {
  /** `uuid` must be of version 7, in lower case. */
  hide(uuid: string): string;
  /** Throws a `SyntaxError` unless `hidden` is a UUID of the other version, in lower case. */
  show(hidden: string): string;
}

/**
 * Encrypts all bits but those of version and variant: 122 bits, as 61 digits of radix 4. So each UUID of
 * version 7 has one of `version`, and the other way around.
 */
export function hiddenUuids(key: string, tweak: string, version: HiddenVersion): HiddenUuids {
  const permutation = keyedPermutation(4, key, tweak);
  const whole = new RegExp(`^${uuidPattern(version)}$`);
  return {
    hide: (uuid) => uuidOf(permutation.scatter(digitsOf(uuid)), version),
    show(hidden) {
      if (whole.test(hidden)) return uuidOf(permutation.gather(digitsOf(hidden)), 7);
      throw new SyntaxError(`${formatValue(hidden)} must be a UUID of version ${version}, in lower case`);
    },
  };
}

/** A UUID in lower case of this version and the variant of RFC 9562, without anchors. */
export function uuidPattern(version: number): string {
  return `[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`;
}

/** Of the 64 digits of two bits, two are the version, and one is the variant, 10 in binary. */
const [VERSION, VARIANT] = [24, 32];

function digitsOf(uuid: string): number[] {
  const nibbles = Array.from(uuid.replaceAll('-', ''), (digit) => Number.parseInt(digit, 16));
  const digits = nibbles.flatMap((nibble) => [nibble >> 2, nibble & 3]);
  return digits.filter((_, at) => at !== VERSION && at !== VERSION + 1 && at !== VARIANT);
}

function uuidOf(digits: readonly number[], version: number): string {
  const all = digits.toSpliced(VERSION, 0, version >> 2, version & 3).toSpliced(VARIANT, 0, 2);
  const hex = Array.from({ length: 32 }, (_, at) =>
    (4 * (all[2 * at] as number) + (all[2 * at + 1] as number)).toString(16),
  );
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
