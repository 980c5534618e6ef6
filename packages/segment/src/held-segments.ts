import type { Segment } from './segment.js';
import type { ReservedSegment } from './segment-source.js';

const NONE: readonly Segment[] = [];

/**
 * Ids in memory: the current segment, given from `currId` up to `maxId`, and those that
 * follow it, in rising order.
 */
export class HeldSegments {
  /**
   * How many ids may be given without looking at the low-water mark, and the id after these. Counted down,
   * since this number stays a small integer for the engine where ids are above 2^31; to store `currId` each
   * time would cost about half as much again.
   */
  #unchecked = 0;
  #checkAt = 1;
  #maxId = 0;
  #following: ReservedSegment[] = [];
  #followingCount = 0;
  #lowWater = 0;
  #top = 0;
  #added = 0;
  /** When the current segment dies, and when the newest one does, as readings of `performance.now()`. */
  #currentExpiresAt = Number.POSITIVE_INFINITY;
  #newestExpiresAt = Number.POSITIVE_INFINITY;

  /** How many ids are here. */
  get count(): number {
    return this.#maxId - this.#currId + 1 + this.#followingCount;
  }

  /** The highest id that was ever here; 0 when none was. */
  get top(): number {
    return this.#top;
  }

  /** How many ids were taken since the beginning. */
  get taken(): number {
    return this.#added - this.count;
  }

  /**
   * The reading of `performance.now()` at which the newest segment dies, and all before it
   * have died; Infinity: never.
   */
  get expiresAt(): number {
    return this.#newestExpiresAt;
  }

  /** Whether no more ids are left than the low-water mark says, so that it is time to fetch more. */
  get low(): boolean {
    return this.count <= this.#lowWater;
  }

  /**
   * Adds a segment and sets the low-water mark, unless the segment reaches down to ids that were here before:
   * returns false, and keeps nothing of it.
   */
  append(segment: ReservedSegment, lowWater: number): boolean {
    const { low, high, expiresAt = Number.POSITIVE_INFINITY } = segment;
    if (low <= this.#top) return false;
    this.#following.push(segment);
    this.#followingCount += high - low + 1;
    this.#added += high - low + 1;
    this.#lowWater = lowWater;
    this.#top = high;
    this.#newestExpiresAt = expiresAt;
    this.#goOn(this.#currId);
    return true;
  }

  /** The next id, or 0 when `take` must be asked: a segment ends here, or the low-water mark is reached. */
  tryTake(): number {
    return this.#unchecked > 0 ? this.#checkAt - this.#unchecked-- : 0;
  }

  /** The next id, or 0 when none is left. */
  take(): number {
    if (this.count === 0) return 0;
    return this.takeRange(1).low;
  }

  /**
   * The next ids that lie in one segment: at most `count` of them, at least one. Only while some are left.
   */
  takeRange(count: number): Segment {
    this.#goOn(this.#currId);
    const low = this.#currId;
    const high = Math.min(this.#maxId, low + count - 1);
    this.#goOn(high + 1);
    return { low, high };
  }

  /**
   * Has the next id go the slow way, where it is looked whether to fetch. Otherwise only the one at the
   * low-water mark does, and the last.
   */
  lookAtNext(): void {
    this.#setCurrId(this.#currId, 0);
  }

  /** Throws away the segments that have died, and returns what was left of them. */
  dropExpired(): readonly Segment[] {
    // Asked for each id that goes the slow way: most sequences have no groups and need no look at the clock.
    if (this.#currentExpiresAt === Number.POSITIVE_INFINITY) return NONE;
    const nowMs = performance.now();
    const dropped: Segment[] = [];
    while (this.#currId <= this.#maxId && this.#currentExpiresAt <= nowMs) {
      const rest = { low: this.#currId, high: this.#maxId };
      dropped.push(rest);
      this.#added -= rest.high - rest.low + 1;
      this.#goOn(rest.high + 1);
    }
    return dropped;
  }

  /** Throws everything away, and returns it. */
  drain(): Segment[] {
    this.#added -= this.count;
    const rest = [{ low: this.#currId, high: this.#maxId }, ...this.#following];
    this.#following = [];
    this.#followingCount = 0;
    this.#maxId = 0;
    this.#setCurrId(1, 0);
    return rest.filter(({ low, high }) => low <= high);
  }

  get #currId(): number {
    return this.#checkAt - this.#unchecked;
  }

  #setCurrId(currId: number, unchecked: number): void {
    this.#unchecked = unchecked | 0;
    this.#checkAt = currId + this.#unchecked;
  }

  /**
   * Goes on with `currId`, or with the next segment when the current one is used up, and
   * sets where to look next.
   */
  #goOn(currId: number): void {
    let next = currId;
    if (currId > this.#maxId) {
      const segment = this.#following.shift();
      if (segment !== undefined) {
        next = segment.low;
        this.#maxId = segment.high;
        this.#followingCount -= segment.high - segment.low + 1;
        this.#currentExpiresAt = segment.expiresAt ?? Number.POSITIVE_INFINITY;
      }
    }
    this.#setCurrId(next, 0);
    // Ids that may die all go the slow way, where the time is looked at.
    if (this.#currentExpiresAt !== Number.POSITIVE_INFINITY) return;
    // The id that leaves as many as the mark says goes the slow way, where the next segment is asked for.
    const aboveMark = this.low ? Number.POSITIVE_INFINITY : this.count - this.#lowWater - 1;
    this.#setCurrId(next, Math.min(this.#maxId - next + 1, aboveMark));
  }
}
