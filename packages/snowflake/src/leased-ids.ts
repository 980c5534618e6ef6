import type { IdFormat } from './id-format.js';
import { type Layout, sequenceSize } from './layout.js';
import { type Clocks, type Lease, type Shortage, WORKER_AHEAD_MS, type WorkerTime } from './worker-time.js';

const NS_PER_MS = 1e6;
/**
 * The first lease of a stamp is this part of its sequence, and each that is used up in its time is followed
 * by one of four times the size: so many generators can share a stamp, and a busy one seldom leases.
 */
const FIRST_PART = 1 / 64;
/** The most stamps of a lease in a layout of milliseconds. */
const MOST_STAMPS = 16;

/** The places that one generator has leased, which it uses stamp by stamp. */
export class LeasedIds<T> {
  readonly #layout: Layout;
  readonly #perStamp: number;
  readonly #time: WorkerTime;
  readonly #format: IdFormat<T>;
  readonly #worker: number;
  readonly #clocks: Clocks;
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
  /** What must be added to the monotonic clock to get the system's. */
  #offset = 0;

  constructor(options: {
    readonly layout: Layout;
    readonly worker: number;
    readonly time: WorkerTime;
    readonly format: IdFormat<T>;
    readonly clocks: Clocks;
  }) {
    this.#layout = options.layout;
    this.#perStamp = sequenceSize(options.layout);
    this.#time = options.time;
    this.#format = options.format;
    this.#worker = options.worker;
    this.#clocks = options.clocks;
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

  /** Takes the next number; -1 if there is none at `now`, a reading of the monotonic clock in nanoseconds. */
  tryTake(now: bigint): number {
    return now >= this.#stampEndsAt || this.#next === this.#end ? -1 : this.#next++;
  }

  /** Takes up to `count` numbers of the stamp in use; returns the first. `left` says how many there were. */
  takeRun(count: number): number {
    const first = this.#next;
    this.#next = Math.min(this.#end, first + count);
    return first;
  }

  /** Sees to it that there are numbers that fit the clock. Says why there are none. */
  refresh(): Shortage | undefined {
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

  /** Takes `count` ids, or none and says why. */
  takeBatch(count: number): T[] | Shortage {
    if (!this.#isCurrent()) this.#drop();
    const missing = count - this.left - (this.#restEnd - this.#rest);
    const found = missing > 0 ? this.#time.lease(missing) : undefined;
    if (found !== undefined && 'error' in found) return found;
    const ids = new Array<T>(count);
    let taken = this.#write(ids, 0, Math.min(count, this.left));
    while (taken < count) {
      if (this.#rest === this.#restEnd && found !== undefined)
        [this.#rest, this.#restEnd] = [found.start, found.end];
      this.#holdNext();
      taken = this.#write(ids, taken, Math.min(count - taken, this.left));
    }
    return ids;
  }

  /** Forgets what is held. */
  clear(): void {
    this.#drop();
    this.#rest = this.#restEnd;
  }

  /**
   * Whether numbers are left and the clock has not reached the next stamp. The monotonic clock only says when
   * to look: the system's may have been set, and is not looked at for each id. Leaves out what else is held,
   * as far as the clock is past it, or too far behind.
   */
  #isCurrent(): boolean {
    const { epoch, unitMs } = this.#layout;
    const askedAt = this.#clocks.monotonic();
    const now = this.#clocks.system();
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
    const start = this.#rest;
    // As small integers: engines count those faster, and the places are not.
    const first = (start % this.#perStamp) | 0;
    this.#rest = Math.min(this.#restEnd, start - first + this.#perStamp);
    this.#takenBefore = this.taken;
    this.#stamp = this.#stampAt(start);
    this.#first = this.#next = first;
    this.#end = first + ((this.#rest - start) | 0);
    this.#stampEndsAt = this.#endOfStamp();
    this.#format.begin(this.#stamp, this.#worker);
  }

  #stampAt(place: number): number {
    return this.#layout.epoch + Math.floor(place / this.#perStamp) * this.#layout.unitMs;
  }

  /** The system's clock was read after the monotonic one, so this is at most a millisecond late. */
  #endOfStamp(): bigint {
    return BigInt(Math.ceil((this.#stamp + this.#layout.unitMs - this.#offset) * NS_PER_MS));
  }

  #write(ids: T[], at: number, count: number): number {
    const first = this.takeRun(count);
    for (let i = 0; i < count; i++) ids[at + i] = this.#format.id(first + i);
    return at + count;
  }

  get #firstSize(): number {
    return Math.max(1, Math.floor(this.#perStamp * FIRST_PART));
  }
}
