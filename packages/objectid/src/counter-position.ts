import { IdError } from '@ids/core';
import { BLOCK, IDS_PER_SECOND, MAX_SECOND } from './limits.js';

/** Places for ids, owned by whoever leased them: one second, one block of 4,096 counter values, or the rest of one. */
export interface Lease {
  readonly second: number;
  readonly counter: number;
  /** At least 1. */
  readonly count: number;
  /** Seconds by which `second` lies ahead of the furthest the clock has been. */
  readonly lead: number;
  /** The position after the last one leased. */
  readonly end: bigint;
}

const FREE = 0;
const FURTHEST = 1;
const COUNTER_BITS = 24n;
const COUNTER_MASK = 0xff_ffffn;
const BLOCK_MASK = BigInt(BLOCK - 1);

/** Bytes that a `CounterPosition` keeps its state in. */
export const POSITION_BYTES = 2 * BigUint64Array.BYTES_PER_ELEMENT;

/**
 * Hands out positions, numbers of 56 bits made of the second and the counter, each to one owner and never again:
 * everything from the first cell on is free, everything below it is leased or gone. A counter that runs over carries
 * into the second, which is all that borrowing is. The state lies in a buffer and changes by compare-and-exchange
 * only, so that threads may share it and one that is terminated leaves nothing locked.
 */
export class CounterPosition {
  readonly #cells: BigUint64Array<ArrayBufferLike>;

  constructor(buffer: ArrayBufferLike) {
    this.#cells = new BigUint64Array(buffer);
  }

  /** Moves on to `counter` in the second after the last one leased. Not for a buffer that threads lease from. */
  moveTo(counter: number): void {
    const last = Atomics.load(this.#cells, FREE) - 1n;
    Atomics.store(this.#cells, FREE, (((last >> COUNTER_BITS) + 1n) << COUNTER_BITS) + BigInt(counter));
  }

  /**
   * Leases places at the second `clock` or later, above all that the caller had before. `unused` is how many places
   * of `held`, the caller's last lease, it will not use: they are leased anew where nobody leased after it, so that
   * the counter of a lone caller has no gaps. Throws `ERR_IDS_EXHAUSTED`, and changes no lease, where the next place
   * lies more than `maxLead` seconds ahead of the furthest that the clock has been.
   */
  lease(clock: number, maxLead: number, held?: Lease, unused = 0): Lease {
    const furthest = this.#raiseFurthest(BigInt(clock));
    for (;;) {
      const free = Atomics.load(this.#cells, FREE);
      const next = free === held?.end ? free - BigInt(unused) : free;
      const earliest = (furthest << COUNTER_BITS) | (next & COUNTER_MASK);
      const start = next > earliest ? next : earliest;
      const second = Number(start >> COUNTER_BITS);
      const lead = second - Number(furthest);
      if (lead > maxLead || second > MAX_SECOND) throw exhausted(second, maxLead);
      const end = (start | BLOCK_MASK) + 1n;
      if (Atomics.compareExchange(this.#cells, FREE, free, end) === free) {
        return { second, counter: Number(start & COUNTER_MASK), count: Number(end - start), lead, end };
      }
    }
  }

  /** A clock that was set back does not count as lead: ids stay at the second they had reached. */
  #raiseFurthest(clock: bigint): bigint {
    for (;;) {
      const furthest = Atomics.load(this.#cells, FURTHEST);
      if (furthest >= clock) return furthest;
      if (Atomics.compareExchange(this.#cells, FURTHEST, furthest, clock) === furthest) return clock;
    }
  }
}

function exhausted(second: number, maxLead: number): IdError {
  if (second > MAX_SECOND) {
    return new IdError('ERR_IDS_EXHAUSTED', 'objectid: the 32-bit seconds of the format end in 2106');
  }
  const room = new Date((second - maxLead) * 1_000).toISOString();
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `objectid: ${IDS_PER_SECOND} ids a second are used up, and the next id would lie more than ${maxLead} s ` +
      `ahead of the clock; there is room again when the clock reaches ${room}`,
  );
}
