import { FF1 } from '@noble/ciphers/ff1.js';

/** A keyed permutation of the digit strings of one length. */
export interface Permutation {
  scatter(digits: readonly number[]): number[];
  gather(digits: readonly number[]): number[];
}

/**
 * FF1 of NIST SP 800-38G with AES. `tweak` separates generators that share a key: the same number gives two
 * unrelated strings.
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
