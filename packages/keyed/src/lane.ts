import type { IdError } from '@ids/core';
import { RequestQueue, type RequestQueueOptions } from '@ids/waiting';
import type { KeyRequest } from './keyed-source.js';

/** The calls that wait for ids of one key. It exists while there are any, and is forgotten then. */
export class Lane<T> extends RequestQueue<T> {
  readonly key: string;
  /** Of the call that found the key without a lane. */
  readonly startAfter: number | undefined;
  /** The greatest id that was reserved for these calls, and what the next one must be above. */
  #top = 0;
  #floor: number | undefined;
  /** How many calls had arrived, and how many ids they wanted, when the source was last asked. */
  #arrivedBy = 0;
  #size = 0;
  /** Whether a statement for it is under way. Set by the supply. */
  asked = false;
  /** Why its last request was not granted; undefined if nothing is known. */
  delay: IdError | undefined;

  constructor(key: string, startAfter: number | undefined, options: RequestQueueOptions<T>) {
    super(options);
    this.key = key;
    this.startAfter = startAfter;
  }

  /**
   * What the source is asked for now: at most `most` ids, and with those that a batch holds already, at most
   * `mostHeld`. Calls that arrive later do not get any of them.
   */
  request(most: number, mostHeld: number): KeyRequest {
    this.#arrivedBy = this.arrivals;
    this.#size = Math.min(this.wanted, most, mostHeld - this.held);
    const { key, startAfter } = this;
    return { key, size: this.#size, startAfter, floor: this.#floor };
  }

  /**
   * Gives the ids up to `high`, which were reserved for the last `request`, to its calls; `ids` are all of
   * them if they do not follow one another. Returns how many ids nobody wants any more; `undefined` if they
   * are not above those before, and nobody got any.
   */
  giveUpTo(high: number, ids?: readonly number[]): number | undefined {
    const low = ids?.[0] ?? high - this.#size + 1;
    if (low <= this.#top) {
      this.#floor = this.#top;
      return undefined;
    }
    this.#top = high;
    this.#floor = undefined;
    this.delay = undefined;
    if (ids === undefined) return this.#size - this.give(low, high, this.#arrivedBy);
    return ids.reduce((left, id) => left - this.give(id, id, this.#arrivedBy), this.#size);
  }

  /** The greatest id that was reserved for these calls; 0 if none was. */
  get top(): number {
    return this.#top;
  }

  /** How many ids the last request was for. */
  get size(): number {
    return this.#size;
  }
}
