/** Reproducible random numbers: mulberry32, by Tommy Ettinger, public domain. */
export class Random {
  #state: number;

  /**
   * Streams of one seed with different names are independent: drawing from one does not affect the others.
   */
  constructor(seed: number, stream = '') {
    let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
    for (const character of stream)
      state = Math.imul(state ^ character.charCodeAt(0), 0x01000193) + 0x6d2b79f5;
    // A seed above 2^32 has further high bits.
    this.#state = (state ^ Math.floor(seed / 2 ** 32)) >>> 0;
    this.next();
  }

  /** From 0, inclusive, to 1, exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `low` to `high`, both inclusive. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** A number from `low` to `high`, with equally likely orders of magnitude. */
  magnitude(low: number, high: number): number {
    return ofMagnitude(low, high, this.next());
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.between(0, values.length - 1)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  }

  hex(length: number): string {
    let digits = '';
    // The first of each eight digits is not 0, so none is lost.
    while (digits.length < length) digits += Math.floor((this.next() * 15 + 1) * 2 ** 28).toString(16);
    return digits.slice(0, length);
  }
}

/** The number at a share, from 0 to 1, of the way from `low` to `high` on a logarithmic scale. */
export function ofMagnitude(low: number, high: number, share: number): number {
  // Not with `**`, whose last bit depends on the engine and the system library.
  return low * Math.exp(share * Math.log(high / low));
}
