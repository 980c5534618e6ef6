/** Drawn at once: a draw costs the same for one number and for hundreds. */
const WORDS = 1_024;

/**
 * Random numbers of 32 bits, each given out once. They are drawn in advance, so a process that is copied
 * while it runs has the same ones: `forget` drops them.
 */
export class RandomWords {
  readonly #words = new Uint32Array(WORDS);
  #next = WORDS;

  next(): number {
    if (this.#next === WORDS) this.#draw();
    return this.#words[this.#next++] as number;
  }

  /** The next number is drawn anew. */
  forget(): void {
    this.#next = WORDS;
  }

  #draw(): void {
    globalThis.crypto.getRandomValues(this.#words);
    this.#next = 0;
  }
}
