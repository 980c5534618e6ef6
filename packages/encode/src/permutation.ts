import { FF1 } from '@noble/ciphers/ff1.js';

/** A keyed one-to-one map of the digit strings of one length onto themselves. */
export interface Permutation {
  scatter(digits: readonly number[]): number[];
  gather(digits: readonly number[]): number[];
}

/** The fewest texts among which an id may hide: NIST SP 800-38G Rev. 1 asks a million of FF1. */
export const SMALLEST_DOMAIN = 1_000_000n;

/**
 * FF1 of NIST SP 800-38G with AES. `tweak` keeps apart the ids of generators that share a key: the same
 * number of two of them becomes two unrelated texts.
 */
export function keyedPermutation(radix: number, key: string, tweak: string): Permutation {
  const ff1 = FF1(radix, bytesOf(key), new TextEncoder().encode(tweak));
  return {
    scatter: (digits) => ff1.encrypt([...digits]),
    gather: (digits) => ff1.decrypt([...digits]),
  };
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
