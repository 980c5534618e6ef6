import { flatText } from '@ids/core';

/** Numbers of one block differ in their last three digits only. */
const BLOCK = 1_000;

let lastDigits: readonly string[] | undefined;

/**
 * Makes `prefix + number`, for numbers that mostly follow each other. All but the last three digits is
 * kept as one flat text: it costs an id two parts to join and to hash, where prefix and number as they
 * come cost half as much again.
 */
export class NumberedText {
  #prefix: string | undefined;
  #blockStart = 0;
  #head = '';
  #digits: readonly string[] = [];

  /** `number`: whole, 1 to 2^53 - 1. */
  of(prefix: string, number: number): string {
    const last = number % BLOCK;
    if (number - last !== this.#blockStart || prefix !== this.#prefix) this.#begin(prefix, number - last);
    return number < BLOCK ? prefix + number : this.#head + this.#digits[last];
  }

  #begin(prefix: string, blockStart: number): void {
    lastDigits ??= Array.from({ length: BLOCK }, (_, digits) => String(digits).padStart(3, '0'));
    this.#digits = lastDigits;
    this.#prefix = prefix;
    this.#blockStart = blockStart;
    this.#head = flatText(prefix + blockStart / BLOCK);
  }
}
