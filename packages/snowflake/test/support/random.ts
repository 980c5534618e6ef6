/** Numbers that look random and depend on the seed only: xorshift with 32 bits of state. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0 || 1;
  }

  /** From 0 to 1, without 1. */
  next(): number {
    let s = this.#state;
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    this.#state = s >>> 0;
    return this.#state / 2 ** 32;
  }

  /** A whole number from 0 to `n` - 1. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }
}
