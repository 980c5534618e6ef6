/** How many answers are remembered: of a hundred, the slowest but one is the 99th percentile. */
const REMEMBERED = 100;

/** How long the last hundred answers of a source took. */
export class LatencyWindow {
  readonly #tookMs: number[] = [];
  #oldest = 0;

  /** Remembers one answer, in place of the oldest when there are a hundred. */
  add(tookMs: number): void {
    this.#tookMs[this.#oldest] = tookMs;
    this.#oldest = (this.#oldest + 1) % REMEMBERED;
  }

  /**
   * The 99th percentile by nearest rank, in milliseconds: of fewer than a hundred answers the
   * slowest. 0 before the first.
   */
  get p99(): number {
    const sorted = this.#tookMs.toSorted((a, b) => a - b);
    return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
  }
}
