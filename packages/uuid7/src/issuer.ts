import { IdError } from '@ids/core';
import { flatText, threeDigits } from '@ids/core/strategy';
import { BLOCK, BLOCKS, MAX_MS, prefixText } from './layout.js';
import { RandomWords } from './random-words.js';

/** How many milliseconds the time in an id may be ahead of the latest time the clock has shown. */
export const MAX_LEAD_MS = 10;

/**
 * The number of blocks in which the 42-bit counter can start: 41 random bits, so that at least half of a
 * millisecond's values remain.
 */
const START_BLOCKS = BLOCKS / 2;

/** The position of an id among all ids of a thread. */
interface Place {
  /** Milliseconds since the Unix epoch. */
  readonly ms: number;
  /** 0 .. 2^42 - 1 */
  readonly counter: number;
}

/** The most ids of a batch that share one reading of the clock. */
const IDS_PER_READING = 1_024;

/**
 * Issues UUIDs of version 7 by method 1 of RFC 9562, section 6.2: 48 bits of Unix time in milliseconds, a
 * 42-bit counter in the 12 bits of rand_a and the upper 30 bits of rand_b, and 32 new random bits per id. In
 * each millisecond the counter starts at a random value and increases by one. Ids are always increasing:
 * while the clock is behind, they keep the last millisecond.
 */
export class Uuid7Issuer {
  readonly #random = new RandomWords();
  readonly #digits = threeDigits();
  /** The reading of the clock that the position was last compared with. */
  #clock = Number.NaN;
  #furthest = 0;
  // The position of the next id. The counter has two parts; the lower one equals `BLOCK` when the block is
  // used up.
  #ms = -1;
  #block = 0;
  #next = BLOCK;
  #prefix = '';

  /** `from`: the first position to issue; by default, the clock's time. */
  constructor(from?: Place) {
    if (from !== undefined) this.#take(from.ms, Math.floor(from.counter / BLOCK), from.counter % BLOCK);
  }

  /**
   * Returns the next id. `now` is in milliseconds since the Unix epoch. The caller reads the clock, because
   * engines inline a call whose target they know. Throws `ERR_IDS_CLOCK` if `now` is outside the format, and
   * `ERR_IDS_EXHAUSTED` if the id would be more than `MAX_LEAD_MS` ahead of the clock.
   */
  issue(now: number): string {
    if (now !== this.#clock || this.#next === BLOCK) this.#move(now);
    return this.#text();
  }

  /** Like `issue`, but returns the 16 bytes. */
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

  /** Issues `count` ids; reads `clock` at least once per 1,024 of them. */
  issueBatch(count: number, clock: () => number): string[] {
    const ids = new Array<string>(count);
    for (let filled = 0; filled < count; ) {
      ids[filled++] = this.issue(clock());
      const more = Math.min(count - filled, BLOCK - this.#next, IDS_PER_READING - 1);
      for (const end = filled + more; filled < end; filled++) ids[filled] = this.#text();
    }
    return ids;
  }

  /** Discards all random bits drawn so far. Ids continue to increase, from the next millisecond on. */
  reset(): void {
    this.#random.forget();
    // Marks the millisecond as used up.
    this.#block = BLOCKS - 1;
    this.#next = BLOCK;
  }

  #text(): string {
    // Drawn first: if it fails, no position is used.
    const random = this.#random.next();
    const counter = this.#next++;
    const digits = this.#digits;
    // Engines copy twelve digits into one flat string; only the prefix adds a tree node.
    return (
      this.#prefix +
      (`${digits[counter >>> 4]}${digits[((counter & 0xf) << 8) | (random >>> 24)]}` +
        `${digits[(random >>> 12) & 0xfff]}${digits[random & 0xfff]}`)
    );
  }

  /** Moves to the position of the next id, which is in the current block afterwards. */
  #move(now: number): void {
    const clock = Math.floor(now);
    if (!(clock >= 0 && clock <= MAX_MS)) {
      throw new IdError('ERR_IDS_CLOCK', `uuid7: the clock must be in 1970 .. 10889, got ${now} ms`);
    }
    // A clock that was set back does not count as a lead: ids stay at the millisecond they had reached.
    this.#furthest = Math.max(this.#furthest, clock);
    if (clock > this.#ms) {
      this.#start(clock);
    } else if (this.#next === BLOCK) {
      if (this.#block + 1 < BLOCKS) this.#take(this.#ms, this.#block + 1, 0);
      else this.#start(this.#ms + 1);
    }
    this.#clock = now;
  }

  /** Moves to a random position in the first half of `ms`. */
  #start(ms: number): void {
    if (ms > MAX_MS) throw exhausted('the format ends in 10889');
    if (ms - this.#furthest > MAX_LEAD_MS) {
      const until = new Date(ms - MAX_LEAD_MS).toISOString();
      throw exhausted(
        `the next id would be more than ${MAX_LEAD_MS} ms ahead of the clock; possible again from ${until}`,
      );
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
