import type { HeldIds, Range } from '@ids/waiting';
import type { Layout } from '../ids/layout.js';

/** Time that belongs to one slot of one process: the stamps from `from` up to, but not including, `until`. */
export interface Window {
  readonly slot: number;
  /** Milliseconds since 1970 by the database's clock, multiples of the layout's unit. */
  readonly from: number;
  readonly until: number;
}

/** Reads a monotonic clock, in milliseconds from any start. */
export type MonotonicClock = () => number;

/**
 * Reads the same clock in nanoseconds. It is read for each id, and Node.js compares whole numbers that it
 * need not convert in two thirds of the time.
 */
export type NanosecondClock = () => bigint;

const NS_PER_MS = 1e6;

/**
 * The stamps of the windows that a process holds, each with its sequence. What it gives out depends on the
 * windows only: a clock that is wrong, or a process that was paused, can waste stamps or delay them, but no
 * stamp outside of a window is ever given.
 */
export class HeldWindows implements HeldIds {
  readonly inParts = true;
  readonly #unitMs: number;
  readonly #perStamp: number;
  readonly #clock: NanosecondClock;
  readonly #onStamp: (stamp: number, slot: number) => void;
  #windows: Window[] = [];
  /** What must be added to the monotonic clock to get the database's. */
  #offset = 0;
  /** The stamp in use, in milliseconds since 1970; it only rises, whatever the clocks do. */
  #stamp = Number.NEGATIVE_INFINITY;
  /** The reading of the monotonic clock at which the clock reaches the next stamp, in nanoseconds. */
  #stampEndsAt = 0n;
  /** The next number of the sequence within the stamp, and the one after the last. */
  #next = 0;
  #end = 0;
  /** How many numbers were taken from earlier stamps. */
  #takenBefore = 0;
  /** The one reading of the clock for which ids were prepared: a later one may find fewer. */
  #preparedAt = 0;

  /**
   * `clock` is the monotonic one, which is read for each id. `onStamp` is called for each stamp, before a
   * number of its sequence is taken.
   */
  constructor(
    { unitMs, sequenceBits }: Pick<Layout, 'unitMs' | 'sequenceBits'>,
    clock: NanosecondClock,
    onStamp: (stamp: number, slot: number) => void,
  ) {
    this.#unitMs = unitMs;
    this.#perStamp = 2 ** sequenceBits;
    this.#clock = clock;
    this.#onStamp = onStamp;
  }

  /** How many numbers were taken in all. */
  get taken(): number {
    return this.#takenBefore + this.#next;
  }

  /** How many numbers of the stamp in use are left. */
  get left(): number {
    return this.#end - this.#next;
  }

  /**
   * Adds a window. `databaseNow` is what the database's clock showed at some moment after the monotonic
   * clock showed `askedAt`. So the estimate is never behind the database's clock. It may be ahead by the
   * duration of the statement, and the end of the window bounds what that can do.
   */
  add(window: Window, databaseNow: number, askedAt: number): void {
    this.#offset = databaseNow - askedAt;
    this.#stampEndsAt = this.#endOfStamp();
    this.#windows.push(window);
  }

  /** Numbers are those of a stamp's sequence. */
  tryTake(): number {
    const now = this.#clock();
    if ((now >= this.#stampEndsAt || this.#next === this.#end) && !this.#advance(Number(now) / NS_PER_MS))
      return -1;
    return this.#next++;
  }

  has(count: number): boolean {
    return this.remaining() >= count;
  }

  prepare(count: number): boolean {
    this.#preparedAt = this.#now();
    return this.#remainingAt(this.#preparedAt) >= count;
  }

  /** Of one stamp. */
  takeRange(count: number): Range {
    this.#advance(this.#preparedAt);
    const low = this.#next;
    this.#next = Math.min(this.#end, low + count);
    return { low, high: this.#next - 1 };
  }

  /**
   * Moves on to the stamp that `now` requires: at least that of the clock, never one before the last. False
   * if no window holds such a stamp with numbers left.
   */
  #advance(now: number): boolean {
    const clock = Math.floor((now + this.#offset) / this.#unitMs) * this.#unitMs;
    let stamp = Math.max(clock, this.left > 0 ? this.#stamp : this.#stamp + this.#unitMs);
    // By index: taking the array apart would cost more than all the rest.
    for (let window = this.#windows[0]; window !== undefined; window = this.#windows[0]) {
      stamp = Math.max(stamp, window.from);
      if (stamp < window.until) {
        this.#moveTo(stamp, window.slot);
        return true;
      }
      this.#windows.shift();
    }
    this.#drop();
    return false;
  }

  /** How many ids can be issued without another window. */
  remaining(): number {
    return this.#remainingAt(this.#now());
  }

  #remainingAt(now: number): number {
    if (!this.#advance(now)) return 0;
    let [count, after] = [this.left, this.#stamp + this.#unitMs];
    for (const { from, until } of this.#windows) {
      const start = Math.max(from, after);
      if (start >= until) continue;
      count += ((until - start) / this.#unitMs) * this.#perStamp;
      after = until;
    }
    return count;
  }

  /** For how many milliseconds the windows last by the database's clock. */
  timeLeft(): number {
    return Math.max(0, (this.#windows.at(-1)?.until ?? 0) - this.#now() - this.#offset);
  }

  /** Whether ids were used faster than the layout has them, so that their stamps are ahead of the clock. */
  isAhead(): boolean {
    return this.#stamp + this.#unitMs > this.#now() + this.#offset;
  }

  /** Forgets the windows. The stamp in use stays, so that later ones are above it. */
  clear(): void {
    this.#windows = [];
    this.#drop();
  }

  /**
   * A window is left only for a stamp above all of its own. So no stamp is used in two slots, where its
   * sequence would begin anew and ids could be lower than before.
   */
  #moveTo(stamp: number, slot: number): void {
    if (stamp === this.#stamp) return;
    this.#takenBefore += this.#next;
    this.#stamp = stamp;
    this.#stampEndsAt = this.#endOfStamp();
    this.#next = 0;
    this.#end = this.#perStamp;
    this.#onStamp(stamp, slot);
  }

  /** In milliseconds. */
  #now(): number {
    return Number(this.#clock()) / NS_PER_MS;
  }

  #endOfStamp(): bigint {
    const endsAt = (this.#stamp + this.#unitMs - this.#offset) * NS_PER_MS;
    return endsAt > 0 ? BigInt(Math.ceil(endsAt)) : 0n;
  }

  /** What is left of the stamp in use is not used: its window is over. */
  #drop(): void {
    this.#end = this.#next;
  }
}
