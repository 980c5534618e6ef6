import type { Segment } from './segment.js';

/** Ids in memory: the current segment, given from `currId` up to `maxId`, and those that follow it, in rising order. */
export class HeldSegments {
  #currId = 1;
  #maxId = 0;
  /** The last id that may be given without looking at the low-water mark; at most `#maxId`. */
  #limit = 0;
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
    this.#rearm();
    return true;
  }

  /** The next id, or 0 when `take` must be asked: a segment ends here, or the low-water mark is reached. */
  tryTake(): number {
    return this.#currId <= this.#limit ? this.#currId++ : 0;
  }

  /** The next id, or 0 when none is left. */
  take(): number {
    if (this.count === 0) return 0;
    return this.takeRange(1).low;
  }

  /** The next ids that lie in one segment: at most `count` of them, at least one. Only while some are left. */
  takeRange(count: number): Segment {
    this.#rearm();
    const low = this.#currId;
    const high = Math.min(this.#maxId, low + count - 1);
    this.#currId = high + 1;
    this.#rearm();
    return { low, high };
  }

  /** Throws everything away, and returns it. */
  drain(): Segment[] {
    this.#added -= this.count;
    const rest = [{ low: this.#currId, high: this.#maxId }, ...this.#following];
    this.#following = [];
    this.#followingCount = 0;
    this.#currId = 1;
    this.#maxId = 0;
    this.#limit = 0;
    return rest.filter(({ low, high }) => low <= high);
  }

  /** Goes on to the next segment when the current one is used up, and sets where to look next. */
  #rearm(): void {
    if (this.#currId > this.#maxId) {
      const next = this.#following.shift();
      if (next !== undefined) {
        this.#currId = next.low;
        this.#maxId = next.high;
        this.#followingCount -= next.high - next.low + 1;
      }
    }
    // The id that leaves as many as the mark says goes the slow way, where the next segment is asked for.
    const aboveMark = this.#maxId + this.#followingCount - this.#lowWater - 1;
    this.#limit = this.low ? this.#maxId : Math.min(this.#maxId, aboveMark);
  }
}
