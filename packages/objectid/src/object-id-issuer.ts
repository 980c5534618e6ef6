import { flatText, IdError } from '@ids/core';
import type { CounterPosition, Lease } from './counter-position.js';
import { hexDigits, threeDigits } from './hex-digits.js';
import type { IdWords } from './id-words.js';
import { BLOCK, MAX_SECOND } from './limits.js';

export interface ObjectIdIssuerParts {
  /** The ten hex digits that tell this issuer's ids from those of others. */
  readonly unique: string;
  /** Shared by all issuers that have the same `unique`. */
  readonly position: CounterPosition;
}

/** Issues ids that rise, whatever the clock does. */
export class ObjectIdIssuer {
  readonly #unique: string;
  readonly #position: CounterPosition;
  readonly #lowDigits = threeDigits();
  #held: Lease | undefined;
  #next = 0;
  #end = 0;
  /** When the clock's second ends: comparing with it is cheaper than dividing for each id. */
  #secondEnd = 0;
  #lead = 0;

  /**
   * 21 of the 24 digits of the last place taken, the same for all ids of a lease: one concatenation
   * is left to do for each id.
   */
  prefix = '';
  /** The bytes of `prefix`: nobody but who makes objects needs them, and who does keeps them here. */
  words: IdWords | undefined;

  constructor({ unique, position }: ObjectIdIssuerParts) {
    this.#unique = unique;
    this.#position = position;
  }

  /**
   * Takes the next place: the low 12 bits of its counter; `prefix` has the rest. `maxLead`: how many seconds
   * its time may lie ahead of the clock, else `ERR_IDS_EXHAUSTED`. `now`: milliseconds since the epoch, read
   * by whoever calls, because engines call the clock without a detour where they see which one it is.
   */
  take(maxLead: number, now: number): number {
    if (this.#next === this.#end || now >= this.#secondEnd || this.#lead > maxLead) this.#renew(now, maxLead);
    return this.#next++;
  }

  /** The id of the next place, otherwise as `take`. */
  issue(maxLead: number, now: number): string {
    const low = this.take(maxLead, now);
    return this.prefix + this.#lowDigits[low];
  }

  /** `clock` is read for every 4,096 ids. */
  issueBatch(count: number, maxLead: number, clock: () => number): string[] {
    const ids = new Array<string>(count);
    for (let filled = 0; filled < count; ) {
      ids[filled++] = this.issue(maxLead, clock());
      const prefix = this.prefix;
      const end = Math.min(this.#end, this.#next + count - filled);
      for (let next = this.#next; next < end; next++) ids[filled++] = prefix + this.#lowDigits[next];
      this.#next = end;
    }
    return ids;
  }

  #renew(now: number, maxLead: number): void {
    const clock = Math.floor(now / 1_000);
    if (!(clock >= 0 && clock <= MAX_SECOND)) {
      throw new IdError('ERR_IDS_CLOCK', `objectid: the clock must lie in 1970 .. 2106, it reads ${now} ms`);
    }
    const lease = this.#position.lease(clock, maxLead, this.#held, this.#end - this.#next);
    this.#held = lease;
    this.#next = lease.counter % BLOCK;
    this.#end = this.#next + lease.count;
    this.#secondEnd = (clock + 1) * 1_000;
    this.#lead = lease.lead;
    const high = hexDigits(Math.floor(lease.counter / BLOCK), 3);
    this.prefix = flatText(hexDigits(lease.second, 8) + this.#unique + high);
    this.words = undefined;
  }
}
