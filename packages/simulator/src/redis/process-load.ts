import type { Random } from '../random.js';

/** What a Redis process has done so far: commands, and the processor time that they took. */
export class ProcessLoad {
  readonly #random: Random;
  /** The steps in which the processor time rises, in microseconds. */
  readonly #tickUs: number;
  #commands = 0;
  #cpuUs: number;

  constructor(random: Random, tickUs: number) {
    this.#random = random;
    this.#tickUs = tickUs;
    this.#cpuUs = random.between(2_000, 20_000);
  }

  get commands(): number {
    return this.#commands;
  }

  /** To be called after each command. */
  count(): void {
    this.#commands++;
    this.#cpuUs += this.#random.between(1, 30);
  }

  /** Microseconds in which the kernel has counted a share of the processor time. */
  cpuUs(share: number): number {
    return Math.floor((this.#cpuUs * share) / this.#tickUs) * this.#tickUs;
  }
}
