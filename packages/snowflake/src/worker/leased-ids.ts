import type { HeldIds, Range } from '@ids/waiting';
import type { IdFormat } from '../ids/id-format.js';
import { sequenceSize } from '../ids/layout.js';
import type { NanosecondClock } from '../windows/held-windows.js';
import {
  type Lease,
  type Shortage,
  WORKER_AHEAD_MS,
  type WorkerTime,
  type WorkerTimeOptions,
} from './worker-time.js';

const NONE = -1;
const NS_PER_MS = 1e6;
/**
 * The first lease of a stamp is this part of its sequence, and each that is used up in its time is followed
 * by one of four times the size: so many generators can share a stamp, and a busy one seldom leases.
 */
const FIRST_PART = 1 / 64;
/** The most stamps of a lease in a layout of milliseconds. */
const MOST_STAMPS = 16;

export interface LeasedIdsOptions<T> extends WorkerTimeOptions {
  readonly format: IdFormat<T>;
  /** The clock that is read for each id. */
  readonly idClock: NanosecondClock;
}

/** The places that one generator has leased, which it uses stamp by stamp. */
export class LeasedIds<T> implements HeldIds {
  readonly inParts = true;
  readonly #options: LeasedIdsOptions<T>;
  readonly #perStamp: number;
  readonly #time: WorkerTime;
  readonly #idClock: NanosecondClock;
  /** How many numbers the next lease is for, if those that are held get used up. */
  #size: number;
  readonly #mostAtOnce: number;
  /** The stamp in use, in milliseconds since 1970. */
  #stamp = Number.NEGATIVE_INFINITY;
  /** The reading of the monotonic clock at which the clock reaches the next stamp, in nanoseconds. */
  #stampEndsAt = 0n;
  /**
   * The numbers of the sequence that are held: the first of the lease, the next one, the one after the last.
   */
  #first = 0;
  #next = 0;
  #end = 0;
  #takenBefore = 0;
  /** Places of later stamps that are held as well: the first one, and the one after the last. */
  #rest = 0;
  #restEnd = 0;
  /** What was leased after them, for a batch that is taken in this turn. */
  #following: Lease | undefined;
  #shortage: Shortage | undefined;
  /** What must be added to the monotonic clock to get the system's. */
  #offset = 0;

  constructor(options: LeasedIdsOptions<T>, time: WorkerTime) {
    this.#options = options;
    this.#perStamp = sequenceSize(options.layout);
    this.#time = time;
    this.#idClock = options.idClock;
    this.#size = this.#firstSize;
    this.#mostAtOnce = this.#perStamp * (options.layout.unitMs === 1 ? MOST_STAMPS : 1);
  }

  /** How many ids were taken in all. */
  get taken(): number {
    return this.#takenBefore + this.#next - this.#first;
  }

  /** How many numbers of the stamp in use are left. */
  get left(): number {
    return this.#end - this.#next;
  }

  /** Why `has` or `prepare` last found too few numbers; undefined if they did not. */
  get shortage(): Shortage | undefined {
    return this.#shortage;
  }

  tryTake(): number {
    return this.#idClock() >= this.#stampEndsAt || this.#next === this.#end ? NONE : this.#next++;
  }

  has(count: number): boolean {
    this.#shortage = this.#time.shortageOf(count);
    return this.#shortage === undefined;
  }

  prepare(count: number): boolean {
    this.#shortage = count === 1 ? this.#refresh() : this.#leaseRest(count);
    return this.#shortage === undefined;
  }

  /** Of one stamp. */
  takeRange(count: number): Range {
    if (this.left === 0) this.#holdNext();
    const low = this.#next;
    this.#next = Math.min(this.#end, low + count);
    return { low, high: this.#next - 1 };
  }

  #refresh(): Shortage | undefined {
    if (this.#isCurrent()) return undefined;
    if (this.left > 0) this.#size = this.#firstSize;
    this.#drop();
    if (this.#rest === this.#restEnd) {
      const found = this.#leaseMore();
      if ('error' in found) return found;
      [this.#rest, this.#restEnd] = [found.start, found.end];
      this.#size = Math.min(this.#mostAtOnce, 4 * this.#size);
    }
    this.#holdNext();
    return undefined;
  }

  /** Leases what is missing of `count` numbers, or nothing. */
  #leaseRest(count: number): Shortage | undefined {
    if (!this.#isCurrent()) this.#drop();
    const missing = count - this.left - (this.#restEnd - this.#rest);
    if (missing <= 0) return undefined;
    const found = this.#time.lease(missing);
    if ('error' in found) return found;
    this.#following = found;
    return undefined;
  }

  /** Forgets what is held. */
  clear(): void {
    this.#drop();
    this.#rest = this.#restEnd;
    this.#following = undefined;
  }

  /**
   * Whether numbers are left and the clock has not reached the next stamp. The monotonic clock only says when
   * to look: the system's may have been set, and is not looked at for each id. Leaves out what else is held,
   * as far as the clock is past it, or too far behind.
   */
  #isCurrent(): boolean {
    const { layout, clocks } = this.#options;
    const { epoch, unitMs } = layout;
    const askedAt = clocks.monotonic();
    const now = clocks.system();
    this.#offset = now - askedAt;
    const atClock = Math.floor((now - epoch) / unitMs) * this.#perStamp;
    this.#rest = Math.min(this.#restEnd, Math.max(this.#rest, atClock));
    if (this.#stampAt(this.#restEnd - 1) >= now + WORKER_AHEAD_MS) this.#rest = this.#restEnd;
    if (this.left === 0 || now >= this.#stamp + unitMs || this.#stamp >= now + WORKER_AHEAD_MS) return false;
    this.#stampEndsAt = this.#endOfStamp();
    return true;
  }

  /** Near the bound there may be a single one, where there are not as many. */
  #leaseMore(): Lease | Shortage {
    const found = this.#time.lease(this.#size);
    return 'error' in found && this.#size > 1 ? this.#time.lease(1) : found;
  }

  /** Gives up what is left of the stamp in use. */
  #drop(): void {
    this.#takenBefore = this.taken;
    this.#first = this.#next = this.#end = 0;
    this.#stampEndsAt = 0n;
  }

  /** Goes on to the next stamp of what is held. */
  #holdNext(): void {
    if (this.#rest === this.#restEnd && this.#following !== undefined) {
      [this.#rest, this.#restEnd] = [this.#following.start, this.#following.end];
      this.#following = undefined;
    }
    const start = this.#rest;
    // As small integers: engines count those faster, and the places are not.
    const first = (start % this.#perStamp) | 0;
    this.#rest = Math.min(this.#restEnd, start - first + this.#perStamp);
    this.#takenBefore = this.taken;
    this.#stamp = this.#stampAt(start);
    this.#first = this.#next = first;
    this.#end = first + ((this.#rest - start) | 0);
    this.#stampEndsAt = this.#endOfStamp();
    this.#options.format.begin(this.#stamp, this.#options.worker);
  }

  #stampAt(place: number): number {
    const { epoch, unitMs } = this.#options.layout;
    return epoch + Math.floor(place / this.#perStamp) * unitMs;
  }

  /** The system's clock was read after the monotonic one, so this is at most a millisecond late. */
  #endOfStamp(): bigint {
    return BigInt(Math.ceil((this.#stamp + this.#options.layout.unitMs - this.#offset) * NS_PER_MS));
  }

  get #firstSize(): number {
    return Math.max(1, Math.floor(this.#perStamp * FIRST_PART));
  }
}
