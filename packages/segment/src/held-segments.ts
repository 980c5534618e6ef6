import type { Segment } from './segment.js';

/** Ids in memory: the current segment, given from `currId` up to `maxId`, and those that follow it, in rising order. */
export class HeldSegments {
  /**
   * How many ids may be given without looking at the low-water mark, and the id after these. Counted down, since this number stays a
   * small integer for the engine where ids are above 2^31; to store `currId` each time would cost about half as much again.
   */
  #unchecked = 0;
  #checkAt = 1;
  #maxId = 0;
  #following: Segment[] = [];
  #followingCount = 0;
  #lowWater = 0;
  #top = 0;
  #added = 0;

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

  /** Whether no more ids are left than the low-water mark says, so that it is time to fetch more. */
  get low(): boolean {
    return this.count <= this.#lowWater;
  }

  /**
   * Adds a segment and sets the low-water mark, unless the segment reaches down to ids that were here before: returns
   * false, and keeps nothing of it.
   */
  append({ low, high }: Segment, lowWater: number): boolean {
    if (low <= this.#top) return false;
    this.#following.push({ low, high });
    this.#followingCount += high - low + 1;
    this.#added += high - low + 1;
    this.#lowWater = lowWater;
    this.#top = high;
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

  /** The next ids that lie in one segment: at most `count` of them, at least one. Only while some are left. */
  takeRange(count: number): Segment {
    this.#goOn(this.#currId);
    const low = this.#currId;
    const high = Math.min(this.#maxId, low + count - 1);
    this.#goOn(high + 1);
    return { low, high };
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

  /** Goes on with `currId`, or with the next segment when the current one is used up, and sets where to look next. */
  #goOn(currId: number): void {
    let next = currId;
    if (currId > this.#maxId) {
      const segment = this.#following.shift();
      if (segment !== undefined) {
        next = segment.low;
        this.#maxId = segment.high;
        this.#followingCount -= segment.high - segment.low + 1;
      }
    }
    this.#setCurrId(next, 0);
    // The id that leaves as many as the mark says goes the slow way, where the next segment is asked for.
    const aboveMark = this.low ? Number.POSITIVE_INFINITY : this.count - this.#lowWater - 1;
    this.#setCurrId(next, Math.min(this.#maxId - next + 1, aboveMark));
  }
}
