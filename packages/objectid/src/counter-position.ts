import { IdError } from '@ids/core';
import { BLOCK, IDS_PER_SECOND, MAX_SECOND } from './limits.js';
import { FREE, FURTHEST, type PositionCells } from './position-cells.js';

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

const COUNTER_BITS = 24n;
const COUNTER_MASK = 0xff_ffffn;
const BLOCK_MASK = BigInt(BLOCK - 1);

/**
 * Hands out positions, numbers of 56 bits made of the second and the counter, each to one owner and never again:
 * everything from the first cell on is free, everything below it is leased or gone. A counter that runs over carries
 * into the second, which is all that borrowing is. State changes by compare-and-replace only, so that threads may
 * share the cells and one that is terminated leaves nothing locked.
 */
export class CounterPosition {
  readonly #cells: PositionCells;

  constructor(cells: PositionCells) {
    this.#cells = cells;
  }

  /** Moves on to `counter` in the second after the last one leased. */
  moveTo(counter: number): void {
    for (;;) {
      const free = this.#cells.load(FREE);
      const second = ((free - 1n) >> COUNTER_BITS) + 1n;
      if (this.#cells.replace(FREE, free, (second << COUNTER_BITS) + BigInt(counter))) return;
    }
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
      const free = this.#cells.load(FREE);
      const next = free === held?.end ? free - BigInt(unused) : free;
      const earliest = (furthest << COUNTER_BITS) | (next & COUNTER_MASK);
      const start = next > earliest ? next : earliest;
      const second = Number(start >> COUNTER_BITS);
      const lead = second - Number(furthest);
      if (lead > maxLead || second > MAX_SECOND) throw exhausted(second, maxLead);
      const end = (start | BLOCK_MASK) + 1n;
      if (this.#cells.replace(FREE, free, end)) {
        return { second, counter: Number(start & COUNTER_MASK), count: Number(end - start), lead, end };
      }
    }
  }

  /** A clock that was set back does not count as lead: ids stay at the second they had reached. */
  #raiseFurthest(clock: bigint): bigint {
    for (;;) {
      const furthest = this.#cells.load(FURTHEST);
      if (furthest >= clock) return furthest;
      if (this.#cells.replace(FURTHEST, furthest, clock)) return clock;
    }
  }
}

function exhausted(second: number, maxLead: number): IdError {
  const why =
    second > MAX_SECOND
      ? 'the 32-bit seconds of the format end in 2106'
      : `${IDS_PER_SECOND} ids a second are used up, and the next id would lie more than ${maxLead} s ahead of ` +
        `the clock; there is room again when the clock reaches ${new Date((second - maxLead) * 1_000).toISOString()}`;
  return new IdError('ERR_IDS_EXHAUSTED', `objectid: ${why}`);
}
