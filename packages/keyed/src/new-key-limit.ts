/** How many keys may begin, as a bucket that holds those of one second. */
export class NewKeyLimit {
  readonly #perSecond: number;
  #left: number;
  #at = performance.now();

  /** No limit if `perSecond` is undefined. */
  constructor(perSecond: number | undefined) {
    this.#perSecond = perSecond ?? Number.POSITIVE_INFINITY;
    this.#left = this.#perSecond;
  }

  /** Takes all that may begin now: a whole number, undefined without a limit. Give back what is not used. */
  takeAll(): number | undefined {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return undefined;
    const now = performance.now();
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    const taken = Math.max(0, Math.floor(this.#left));
    this.#left -= taken;
    return taken;
  }

  giveBack(count: number): void {
    this.#left += count;
  }

  /** How long to wait until another key may begin, in milliseconds. */
  get pauseMs(): number {
    return Math.max(1, Math.ceil(((1 - this.#left) / this.#perSecond) * 1_000));
  }
}
