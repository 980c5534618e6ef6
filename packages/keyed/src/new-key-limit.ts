import { hasBegun } from './granted.js';
import type { KeyAnswer } from './keyed-source.js';

/** When to ask again if requests under way hold enough for all, in milliseconds: they end soon. */
const HELD_MS = 20;

/** How many keys may begin, as a bucket that holds those of one second. */
export class NewKeyLimit {
  readonly #perSecond: number;
  #left: number;
  #at = performance.now();
  /** How many are taken by requests that are under way. */
  #held = 0;
  /** What is known to be new and has not begun. */
  readonly #waiting = new Set<object>();

  /** No limit if `perSecond` is undefined. */
  constructor(perSecond: number | undefined) {
    this.#perSecond = perSecond ?? Number.POSITIVE_INFINITY;
    this.#left = this.#perSecond;
  }

  /**
   * Takes for a request for `lanes` what may begin now: a whole number, undefined without a limit. Settle it
   * afterwards. While some are known to be new, requests for others take none: under load some request for
   * keys in use is always under way, and would hold what the new ones need. So would one that `waits` for a
   * locked key.
   */
  take(lanes: readonly object[], waits: boolean): number | undefined {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return undefined;
    const now = performance.now();
    const held = this.#held + this.#left + ((now - this.#at) / 1_000) * this.#perSecond;
    this.#left = Math.min(this.#perSecond, held) - this.#held;
    this.#at = now;
    const known = lanes.filter((lane) => this.#waiting.has(lane)).length;
    const most = waits || this.#waiting.size > 0 ? known : lanes.length;
    const taken = Math.max(0, Math.min(most, Math.floor(this.#left)));
    this.#left -= taken;
    this.#held += taken;
    return taken;
  }

  /** A request that had taken so many was answered: gives back those that do not begin. */
  settle(taken: number, answers: readonly KeyAnswer[]): void {
    const later = answers.flatMap((answer) => ('later' in answer ? [answer.later] : []));
    const begun = answers.filter(hasBegun).length;
    if (later.length === 0) {
      this.#giveBack(taken, begun);
      return;
    }
    void Promise.allSettled(later).then((settled) => {
      const begunLater = settled.filter((one) => one.status === 'fulfilled' && hasBegun(one.value));
      this.#giveBack(taken, begun + begunLater.length);
    });
  }

  #giveBack(taken: number, begun: number): void {
    this.#held -= taken;
    this.#left += taken - begun;
  }

  /** This one is new, and did not begin. Returns how long to wait until it may, in milliseconds. */
  postpone(lane: object): number {
    this.#waiting.add(lane);
    if (this.#held > 0 && this.#waiting.size <= this.#left + this.#held) return HELD_MS;
    return Math.max(1, Math.ceil(((1 - this.#left) / this.#perSecond) * 1_000));
  }

  /** This one has begun, or nobody wants it any more. */
  forget(lane: object): void {
    this.#waiting.delete(lane);
  }
}
