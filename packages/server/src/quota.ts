/** Ids per minute: a bucket that is full at the start and fills evenly. Times are of a monotonic clock. */
export class Quota {
  readonly #perMinute: number;
  #left: number;
  #atMs: number;

  constructor(perMinute: number, nowMs: number) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
    this.#atMs = nowMs;
  }

  /**
   * Takes `count`, and returns 0. If fewer are left, takes none, and returns in how many seconds there are
   * enough; `Infinity` for more than a minute's.
   */
  take(count: number, nowMs: number): number {
    const perMs = this.#perMinute / 60_000;
    this.#left = Math.min(this.#perMinute, this.#left + (nowMs - this.#atMs) * perMs);
    this.#atMs = nowMs;
    if (count > this.#perMinute) return Number.POSITIVE_INFINITY;
    if (count > this.#left) return (count - this.#left) / perMs / 1_000;
    this.#left -= count;
    return 0;
  }

  putBack(count: number): void {
    this.#left = Math.min(this.#perMinute, this.#left + count);
  }
}
