import { type Guarantees, type Id, IdError, isUuid } from '@ids/core';
import { ownText } from '@ids/core/strategy';
import type { Codec } from './codec.js';

/**
 * A codec that encodes as `current` does, and also decodes what `former` ones encoded: after a change of the
 * key or the width, while texts of before are in links and mails. `guarantees` are those of what it encodes.
 *
 * Throws `ERR_IDS_CONFIG` if two of them could have encoded the same text: each needs a `prefix` with which
 * no other begins or, with the same prefix, a length or, for obfuscated UUIDs, a `version` of its own.
 */
export function acceptFormer<T extends Id>(current: Codec<T>, ...former: readonly Codec<T>[]): Codec<T> {
  const all = [current, ...former];
  for (const [at, one] of all.entries()) {
    for (const other of all.slice(at + 1)) assertApart(one.guarantees.text, other.guarantees.text);
  }
  return {
    guarantees: current.guarantees,
    encode: current.encode,
    decode(text) {
      let problem: unknown;
      for (const { decode } of all) {
        try {
          return decode(text);
        } catch (error) {
          problem ??= error;
        }
      }
      throw problem;
    },
  };
}

function assertApart(one: Guarantees['text'], other: Guarantees['text']): void {
  const [first, second] = [one.prefix ?? '', other.prefix ?? ''];
  if (!first.startsWith(second) && !second.startsWith(first)) return;
  const apart = one.maxLength < (other.minLength ?? 0) || other.maxLength < (one.minLength ?? 0);
  if (first === second && apart) return;
  if (isUuid(one) && isUuid(other) && !VERSIONS.some((uuid) => ownText(one)(uuid) && ownText(other)(uuid)))
    return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    'acceptFormer: two codecs could have encoded the same text: give each another "prefix", another "width" or, for obfuscated UUIDs, another "version"',
  );
}

/** A UUID of each version. */
const VERSIONS = Array.from(
  { length: 16 },
  (_, version) => `018f22e2-79b0-${version.toString(16)}cc3-98c4-dc0c0c07398f`,
);
