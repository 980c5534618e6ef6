/** Consecutive numbers, from `low` to `high` inclusive. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/**
 * The ids that a process holds in memory, in their order. They are numbers from 0, which a front converts
 * into ids.
 */
export interface HeldIds {
  /**
   * Whether a waiting batch gets ids before all of them are here. Otherwise it takes none until then, so that
   * none is lost if it gives up.
   */
  readonly inParts: boolean;
  /**
   * Returns the next number, or a negative one if there is none: then call `prepare`. It runs for each id, so
   * it does nothing else, and returns a constant of its own module. The engine loads an imported constant as
   * an object, and then every id is one, which makes each call up to a third slower.
   */
  tryTake(): number;
  /**
   * Whether `count` numbers could be taken now. It reserves none of them: the answer may change at any time.
   */
  has(count: number): boolean;
  /**
   * Makes sure that `takeRange`, called in the same turn, returns `count` numbers in all. False: there are
   * fewer, and nothing has changed.
   */
  prepare(count: number): boolean;
  /** Takes consecutive numbers: at least one, at most `count`, and no more than were prepared. */
  takeRange(count: number): Range;
}
