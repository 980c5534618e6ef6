import type { HeldIds } from '@ids/waiting';
import type { ExpiringSegment, Segment } from './segment.js';

const NONE = -1;

/**
 * Ids in memory: the current segment, issued from `currId` to `maxId`, and the segments that follow it, in
 * increasing order.
 */
export class HeldSegments implements HeldIds {
  /** A batch that waits for more takes none, so nothing is lost if it gives up. */
  readonly inParts = false;
  readonly #expired: (rest: Segment) => void;
  /**
   * How many ids may be issued without a check, and the id after these. The count goes down, because it stays
   * a small integer for the engine even if ids are above 2^31; storing `currId` each time would be about half
   * as slow again.
   */
  #unchecked = 0;
  #checkAt = 1;
  #maxId = 0;
  #following: ExpiringSegment[] = [];
  #followingCount = 0;
  #lowWater = 0;
  #top = 0;
  #added = 0;
  /** When the current and the newest segment expire, as readings of `performance.now()`. */
  #currentExpiresAt = Number.POSITIVE_INFINITY;
  #newestExpiresAt = Number.POSITIVE_INFINITY;
  #keepsExpired = false;

  /** `expired` is called with what is left of a segment that expires. */
  constructor(expired: (rest: Segment) => void = () => {}) {
    this.#expired = expired;
  }

  /** How many ids are held. */
  get count(): number {
    return this.#maxId - this.#currId + 1 + this.#followingCount;
  }

  /** The highest id that was ever held; 0 if none was. */
  get top(): number {
    return this.#top;
  }

  /** How many ids have been taken so far. */
  get taken(): number {
    return this.#added - this.count;
  }

  /**
   * The reading of `performance.now()` at which the newest segment expires, and all earlier ones have;
   * Infinity: never.
   */
  get expiresAt(): number {
    return this.#newestExpiresAt;
  }

  /** Whether the ids are at or below the low-water mark, so that it is time to fetch more. */
  get atLowWater(): boolean {
    return this.count <= this.#lowWater;
  }

  /**
   * Adds a segment and sets the low-water mark. Returns false and keeps nothing if the segment reaches down
   * to ids that were held before.
   */
  append(segment: ExpiringSegment, lowWater: number): boolean {
    const { low, high, expiresAt } = segment;
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

  tryTake(): number {
    return this.#unchecked > 0 ? this.#checkAt - this.#unchecked-- : NONE;
  }

  has(count: number): boolean {
    this.dropExpired();
    return this.count >= count;
  }

  prepare(count: number): boolean {
    return this.has(count);
  }

  /** The next ids of one segment: at least one, at most `count`. Call it only while some are left. */
  takeRange(count: number): Segment {
    this.#goOn(this.#currId);
    const low = this.#currId;
    const high = Math.min(this.#maxId, low + count - 1);
    this.#goOn(high + 1);
    return { low, high };
  }

  /**
   * Makes the next id take the slow path, which checks whether to fetch. Otherwise only the one at the
   * low-water mark does, and the last one.
   */
  checkNext(): void {
    this.#setCurrId(this.#currId, 0);
  }

  /** Drops the segments that have expired. */
  dropExpired(): void {
    // Runs for each id on the slow path: most sequences have no groups, so the clock need not be read.
    if (this.#currentExpiresAt === Number.POSITIVE_INFINITY || this.#keepsExpired) return;
    const nowMs = performance.now();
    while (this.#currId <= this.#maxId && this.#currentExpiresAt <= nowMs) {
      const rest = { low: this.#currId, high: this.#maxId };
      this.#added -= rest.high - rest.low + 1;
      this.#goOn(rest.high + 1);
      this.#expired(rest);
    }
  }

  /** Runs `serve`, which also finds the ids that have expired. */
  regardless(serve: () => void): void {
    this.#keepsExpired = true;
    serve();
    this.#keepsExpired = false;
  }

  /** Drops everything, and returns it. */
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

  /** Continues with `currId`, or with the next segment if the current one is used up; sets the next check. */
  #goOn(currId: number): void {
    let next = currId;
    if (currId > this.#maxId) {
      const segment = this.#following.shift();
      if (segment !== undefined) {
        next = segment.low;
        this.#maxId = segment.high;
        this.#followingCount -= segment.high - segment.low + 1;
        this.#currentExpiresAt = segment.expiresAt;
      }
    }
    this.#setCurrId(next, 0);
    // Ids that may expire all take the slow path, which reads the clock.
    if (this.#currentExpiresAt !== Number.POSITIVE_INFINITY) return;
    // The id after which the mark is reached takes the slow path, which fetches the next segment.
    const aboveMark = this.atLowWater ? Number.POSITIVE_INFINITY : this.count - this.#lowWater - 1;
    this.#setCurrId(next, Math.min(this.#maxId - next + 1, aboveMark));
  }
}
