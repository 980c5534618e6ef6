/**
 * A hash of `words[at .. at + count - 1]`: the same id always falls into the same partition and slot. It only says where
 * to look; ids are compared in full. The mixing steps are MurmurHash3's (Austin Appleby, public domain).
 */
export function hashWords(words: Uint32Array, at: number, count: number): number {
  let hash = count;
  for (let i = at; i < at + count; i++) {
    let mixed = Math.imul(words[i] as number, 0xcc9e2d51);
    mixed = Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
    hash ^= mixed;
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Which of `partitions` (a power of two) a hash belongs to: its top bits, so that the low ones still spread within. */
export function partitionOf(hash: number, partitions: number): number {
  return Math.floor((hash / 0x1_0000_0000) * partitions);
}
