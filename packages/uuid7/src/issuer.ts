import { IdError } from '@ids/core';
import { flatText } from '@ids/core/strategy';
import { BLOCK, BLOCKS, hexDigits, MAX_MS, prefixText } from './layout.js';
import { RandomWords } from './random-words.js';

/** How many milliseconds the time in an id may lie ahead of the furthest that the clock has been. */
export const MAX_LEAD_MS = 10;

/** What a counter of 42 bits starts at in a millisecond: 41 random bits, so that half of its room is free. */
const START_BLOCKS = BLOCKS / 2;

/** Where an id stands among all ids of a thread. */
interface Place {
  /** Milliseconds since the epoch. */
  readonly ms: number;
  /** 0 .. 2^42 - 1 */
  readonly counter: number;
}

/** Ids of a batch that one reading of the clock may date. */
const IDS_PER_READING = 1_024;

/**
 * Issues UUIDs of version 7 as RFC 9562 describes in section 6.2, method 1: 48 bits of Unix time in
 * milliseconds, a counter of 42 bits in the 12 bits of rand_a and the upper 30 of rand_b, and 32 random bits
 * that are new in each id. The counter starts at random in each millisecond and rises by one. Ids rise,
 * whatever the clock does: while it is behind, they keep the millisecond they had reached.
 */
export class Uuid7Issuer {
  readonly #random = new RandomWords();
  readonly #digits = threeDigits();
  /** The reading of the clock that the place was last held against. */
  #clock = Number.NaN;
  #furthest = 0;
  // The next id's place. Its counter has two parts; the lower one is `BLOCK` where the block is used up.
  #ms = -1;
  #block = 0;
  #next = BLOCK;
  #prefix = '';

  /** `from`: where ids go on from, at the first place that is free; by default at the clock's time. */
  constructor(from?: Place) {
    if (from !== undefined) this.#take(from.ms, Math.floor(from.counter / BLOCK), from.counter % BLOCK);
  }

  /**
   * The next id. `now`: milliseconds since the epoch, read by whoever calls, because engines call the clock
   * without a detour where they see which one it is. Throws `ERR_IDS_CLOCK` where that is outside of the
   * format, `ERR_IDS_EXHAUSTED` where the id would lie more than `MAX_LEAD_MS` ahead of the clock.
   */
  issue(now: number): string {
    if (now !== this.#clock || this.#next === BLOCK) this.#move(now);
    return this.#text();
  }

  /** The 16 bytes of the next id, otherwise as `issue`. */
  issueBytes(now: number): Uint8Array {
    if (now !== this.#clock || this.#next === BLOCK) this.#move(now);
    const random = this.#random.next();
    const counter = this.#next++;
    const high = Math.floor(this.#ms / 0x1_0000);
    const bytes = new Uint8Array(16);
    bytes[0] = high >>> 24;
    bytes[1] = high >>> 16;
    bytes[2] = high >>> 8;
    bytes[3] = high;
    bytes[4] = (this.#ms % 0x1_0000) >>> 8;
    bytes[5] = this.#ms % 0x100;
    bytes[6] = 0x70 | (this.#block >>> 22);
    bytes[7] = this.#block >>> 14;
    bytes[8] = 0x80 | ((this.#block >>> 8) & 0x3f);
    bytes[9] = this.#block;
    bytes[10] = counter >>> 8;
    bytes[11] = counter;
    bytes[12] = random >>> 24;
    bytes[13] = random >>> 16;
    bytes[14] = random >>> 8;
    bytes[15] = random;
    return bytes;
  }

  /** `clock` is read for every 1,024 ids. */
  issueBatch(count: number, clock: () => number): string[] {
    const ids = new Array<string>(count);
    for (let filled = 0; filled < count; ) {
      ids[filled++] = this.issue(clock());
      const more = Math.min(count - filled, BLOCK - this.#next, IDS_PER_READING - 1);
      for (const end = filled + more; filled < end; filled++) ids[filled] = this.#text();
    }
    return ids;
  }

  /** Draws anew whatever is random. Ids go on rising, from the next millisecond on. */
  reset(): void {
    this.#random.forget();
    // The millisecond counts as used up.
    this.#block = BLOCKS - 1;
    this.#next = BLOCK;
  }

  #text(): string {
    // First, for it can fail: then no place is taken.
    const random = this.#random.next();
    const counter = this.#next++;
    const digits = this.#digits;
    // Twelve digits, which engines copy into one string; only the prefix makes a tree of it.
    return (
      this.#prefix +
      (`${digits[counter >>> 4]}${digits[((counter & 0xf) << 8) | (random >>> 24)]}` +
        `${digits[(random >>> 12) & 0xfff]}${digits[random & 0xfff]}`)
    );
  }

  /** Moves on to the place of the next id, which lies in the current block from now on. */
  #move(now: number): void {
    const clock = Math.floor(now);
    if (!(clock >= 0 && clock <= MAX_MS)) {
      throw new IdError('ERR_IDS_CLOCK', `uuid7: the clock must be in 1970 .. 10889, got ${now} ms`);
    }
    // A clock that was set back does not count as lead: ids stay at the millisecond they had reached.
    this.#furthest = Math.max(this.#furthest, clock);
    if (clock > this.#ms) {
      this.#start(clock);
    } else if (this.#next === BLOCK) {
      if (this.#block + 1 < BLOCKS) this.#take(this.#ms, this.#block + 1, 0);
      else this.#start(this.#ms + 1);
    }
    this.#clock = now;
  }

  /** Moves to a random place of the first half of `ms`. */
  #start(ms: number): void {
    if (ms > MAX_MS) throw exhausted('the format ends in 10889');
    if (ms - this.#furthest > MAX_LEAD_MS) {
      const until = new Date(ms - MAX_LEAD_MS).toISOString();
      throw exhausted(`the next id is over ${MAX_LEAD_MS} ms ahead of the clock until ${until}`);
    }
    const block = this.#random.next() % START_BLOCKS;
    this.#take(ms, block, this.#random.next() % BLOCK);
  }

  #take(ms: number, block: number, next: number): void {
    this.#ms = ms;
    this.#block = block;
    this.#next = next;
    this.#prefix = flatText(prefixText(ms, block));
  }
}

function exhausted(why: string): IdError {
  return new IdError('ERR_IDS_EXHAUSTED', `uuid7: ${why}`);
}

let table: readonly string[] | undefined;

/**
 * The three digits of each number below 4,096. Made on first use: whoever only imports
 * this does not pay for it.
 */
function threeDigits(): readonly string[] {
  table ??= Array.from({ length: 0x1000 }, (_, value) => hexDigits(value, 3));
  return table;
}
