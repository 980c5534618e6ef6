import { IdError } from '@ids/core';
import type { CounterPosition, Lease } from './counter-position.js';
import { hexDigits } from './hex-digits.js';
import { BLOCK, MAX_SECOND } from './limits.js';

/** The last three hex digits of every id, by the low 12 bits of its counter. */
const LOW_DIGITS: readonly string[] = Array.from({ length: BLOCK }, (_, low) => hexDigits(low, 3));

export interface ObjectIdIssuerParts {
  /** The ten hex digits that tell this issuer's ids from those of others. */
  readonly unique: string;
  /** Shared by all issuers that have the same `unique`. */
  readonly position: CounterPosition;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Issues ids that rise, whatever the clock does. */
export class ObjectIdIssuer {
  readonly #unique: string;
  readonly #position: CounterPosition;
  readonly #now: () => number;
  #held: Lease | undefined;
  /** 21 of 24 digits, the same for all ids of a lease: the concatenation is all that is left to do for each id. */
  #prefix = '';
  #next = 0;
  #end = 0;
  /** When the clock's second ends: comparing with it is cheaper than dividing for each id. */
  #renewAt = 0;
  #lead = 0;

  constructor({ unique, position, now = () => Date.now() }: ObjectIdIssuerParts) {
    this.#unique = unique;
    this.#position = position;
    this.#now = now;
  }

  /** `maxLead`: how many seconds the id's time may lie ahead of the clock, else `ERR_IDS_EXHAUSTED`. */
  issue(maxLead: number): string {
    const now = this.#now();
    if (this.#next === this.#end || now >= this.#renewAt || this.#lead > maxLead) this.#renew(now, maxLead);
    return this.#prefix + LOW_DIGITS[this.#next++];
  }

  /** The clock is read for every 4,096 ids. */
  issueBatch(count: number, maxLead: number): string[] {
    const ids = new Array<string>(count);
    for (let filled = 0; filled < count; ) {
      const now = this.#now();
      if (this.#next === this.#end || now >= this.#renewAt || this.#lead > maxLead) this.#renew(now, maxLead);
      const prefix = this.#prefix;
      const end = Math.min(this.#end, this.#next + count - filled);
      for (let next = this.#next; next < end; next++) ids[filled++] = prefix + LOW_DIGITS[next];
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
    this.#renewAt = (clock + 1) * 1_000;
    this.#lead = lease.lead;
    this.#prefix = flat(
      hexDigits(lease.second, 8) + this.#unique + hexDigits((lease.counter - this.#next) / BLOCK, 3),
    );
  }
}

/**
 * The same text in one piece. Engines keep the result of `+` as a tree of its parts; as the first part of each id,
 * that tree would be walked again for every id that is hashed, compared or written out.
 */
function flat(text: string): string {
  return String.fromCharCode(...Array.from(text, (digit) => digit.charCodeAt(0)));
}
