import { IdError } from '@ids/core';
import { BLOCK, MAX_SECOND } from './limits.js';

/**
 * Positions that belong to whoever leased them: one second and one block of 4,096 counter values, or the rest
 * of a block.
 */
export interface Lease {
  readonly second: number;
  readonly counter: number;
  /** At least 1. */
  readonly count: number;
  /** How many seconds `second` is ahead of the latest time the clock has shown. */
  readonly lead: number;
  /** The position after the last leased one. */
  readonly end: bigint;
}

const COUNTER_BITS = 24n;
const COUNTER_MASK = 0xff_ffffn;
const BLOCK_MASK = BigInt(BLOCK - 1);

/**
 * Leases positions, 56-bit numbers made of the second and the counter, to one owner each and never again:
 * every position from the first cell's value on is free, everything below is leased or used. When the counter
 * overflows, it carries into the second: that is how ids borrow from later seconds. State changes by
 * compare-and-swap only, so threads can share the cells, and a thread that is terminated leaves nothing
 * locked.
 */
export class CounterPosition {
  readonly #cells: PositionCells;

  constructor(cells: PositionCells) {
    this.#cells = cells;
  }

  /** Moves to `counter` in the second after the last leased one. */
  moveTo(counter: number): void {
    this.#change(FREE, (free) => ((((free - 1n) >> COUNTER_BITS) + 1n) << COUNTER_BITS) + BigInt(counter));
  }

  /**
   * Leases positions at second `clock` or later, above all that the caller leased before. `unused` is the
   * number of positions in `held`, the caller's last lease, that it will not use. They are leased again if
   * nobody has leased since, so that the counter of a lone caller has no gaps. Throws `ERR_IDS_EXHAUSTED`,
   * and leases nothing, if the next position is more than `maxLead` seconds ahead of the latest time the
   * clock has shown.
   */
  lease(clock: number, maxLead: number, held?: Lease, unused = 0): Lease {
    // A clock that was set back does not count as a lead: ids stay at the second they had reached.
    const furthest = this.#change(FURTHEST, (reached) => later(reached, BigInt(clock)));
    let start = 0n;
    const end = this.#change(FREE, (free) => {
      const next = free === held?.end ? free - BigInt(unused) : free;
      start = later(next, (furthest << COUNTER_BITS) | (next & COUNTER_MASK));
      assertRoom(Number(start >> COUNTER_BITS), Number(furthest), maxLead);
      return (start | BLOCK_MASK) + 1n;
    });
    const second = Number(start >> COUNTER_BITS);
    return {
      second,
      counter: Number(start & COUNTER_MASK),
      count: Number(end - start),
      lead: second - Number(furthest),
      end,
    };
  }

  /**
   * Replaces the cell's value by `change(value)`, however many threads do the same concurrently. Returns the
   * new value.
   */
  #change(cell: Cell, change: (value: bigint) => bigint): bigint {
    for (;;) {
      const value = this.#cells.load(cell);
      const changed = change(value);
      if (this.#cells.replace(cell, value, changed)) return changed;
    }
  }
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function assertRoom(second: number, furthest: number, maxLead: number): void {
  if (second > MAX_SECOND) throw exhausted('the format ends in 2106');
  if (second - furthest <= maxLead) return;
  const until = new Date((second - maxLead) * 1_000).toISOString();
  throw exhausted(
    `the next id would be more than ${maxLead} s ahead of the clock; possible again from ${until}`,
  );
}

function exhausted(why: string): IdError {
  return new IdError('ERR_IDS_EXHAUSTED', `objectid: ${why}`);
}

/** The state of a counter: two 64-bit numbers, initially 0. */
export interface PositionCells {
  load(cell: Cell): bigint;
  /** Atomically writes `value` if the cell holds `expected`. Returns whether it did. */
  replace(cell: Cell, expected: bigint, value: bigint): boolean;
}

/** `FREE`: the first free position. `FURTHEST`: the latest second the clock has shown. */
type Cell = typeof FREE | typeof FURTHEST;
export const FREE = 0;
export const FURTHEST = 1;

/**
 * Cells for one thread. Plain values, because `Atomics` is not available while a V8 start-up snapshot is
 * built.
 */
export function localCells(): PositionCells {
  const cells = [0n, 0n] as [bigint, bigint];
  return {
    load: (cell) => cells[cell],
    replace: (cell, expected, value) => {
      if (cells[cell] !== expected) return false;
      cells[cell] = value;
      return true;
    },
  };
}

/** The size in bytes of a buffer for `sharedCells`. */
export const SHARED_CELLS_BYTES = 16;

/** Cells shared by threads. */
export function sharedCells(buffer: SharedArrayBuffer): PositionCells {
  const cells = new BigUint64Array(buffer);
  return {
    load: (cell) => Atomics.load(cells, cell),
    replace: (cell, expected, value) => Atomics.compareExchange(cells, cell, expected, value) === expected,
  };
}
