import { IdError } from '@ids/core';
import { BLOCK, MAX_SECOND } from './limits.js';

/**
 * Places for ids, owned by whoever leased them: one second, one block of 4,096 counter
 * values, or the rest of one.
 */
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
 * Hands out positions, numbers of 56 bits made of the second and the counter, each to one owner and never
 * again: everything from the first cell on is free, everything below it is leased or gone. A counter that
 * runs over carries into the second, which is all that borrowing is. State changes by compare-and-replace
 * only, so that threads may share the cells and one that is terminated leaves nothing locked.
 */
export class CounterPosition {
  readonly #cells: PositionCells;

  constructor(cells: PositionCells) {
    this.#cells = cells;
  }

  /** Moves on to `counter` in the second after the last one leased. */
  moveTo(counter: number): void {
    this.#change(FREE, (free) => ((((free - 1n) >> COUNTER_BITS) + 1n) << COUNTER_BITS) + BigInt(counter));
  }

  /**
   * Leases places at the second `clock` or later, above all that the caller had before. `unused` is
   * how many places of `held`, the caller's last lease, it will not use: they are leased anew where
   * nobody leased after it, so that the counter of a lone caller has no gaps. Throws
   * `ERR_IDS_EXHAUSTED`, and changes no lease, where the next place lies more than `maxLead` seconds
   * ahead of the furthest that the clock has been.
   */
  lease(clock: number, maxLead: number, held?: Lease, unused = 0): Lease {
    // A clock that was set back does not count as lead: ids stay at the second they had reached.
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
   * Gives the cell what `change` makes of its value, however many others do the same
   * meanwhile, and returns it.
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
  throw exhausted(`the next id is over ${maxLead} s ahead of the clock until ${until}`);
}

function exhausted(why: string): IdError {
  return new IdError('ERR_IDS_EXHAUSTED', `objectid: ${why}`);
}

/** The state of a counter: two numbers of 64 bits, 0 at first. */
export interface PositionCells {
  load(cell: Cell): bigint;
  /** Writes `value` if the cell holds `expected`, in one step; says whether it did. */
  replace(cell: Cell, expected: bigint, value: bigint): boolean;
}

/** `FREE`: the first position that is free. `FURTHEST`: the furthest second that the clock has been at. */
type Cell = typeof FREE | typeof FURTHEST;
export const FREE = 0;
export const FURTHEST = 1;

/** Cells of one thread. Plain values, because there is no `Atomics` while a V8 start-up snapshot is built. */
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

/** Bytes of a buffer for `sharedCells`. */
export const SHARED_CELLS_BYTES = 16;

/** Cells that threads share. */
export function sharedCells(buffer: SharedArrayBuffer): PositionCells {
  const cells = new BigUint64Array(buffer);
  return {
    load: (cell) => Atomics.load(cells, cell),
    replace: (cell, expected, value) => Atomics.compareExchange(cells, cell, expected, value) === expected,
  };
}
