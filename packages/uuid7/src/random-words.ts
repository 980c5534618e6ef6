import { randomValues } from '@ids/core/strategy';

/** The number of words per draw. A draw costs the same for one as for hundreds. */
const WORDS = 1_024;

/**
 * 32-bit random numbers, each returned once. They are drawn in advance, so a copy of a running process has
 * the same ones; `forget` discards them.
 */
export class RandomWords {
  readonly #words = new Uint32Array(WORDS);
  #next = WORDS;

  next(): number {
    if (this.#next === WORDS) this.#draw();
    return this.#words[this.#next++] as number;
  }

  /** Discards the numbers drawn in advance. */
  forget(): void {
    this.#next = WORDS;
  }

  #draw(): void {
    randomValues(this.#words);
    this.#next = 0;
  }
}
