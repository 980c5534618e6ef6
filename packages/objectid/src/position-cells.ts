/** The state of a counter: two numbers of 64 bits, 0 at first. */
export interface PositionCells {
  load(cell: Cell): bigint;
  /** Writes `value` if the cell holds `expected`, in one step; says whether it did. */
  replace(cell: Cell, expected: bigint, value: bigint): boolean;
}

/** `FREE`: the first position that is free. `FURTHEST`: the furthest second that the clock has been at. */
export type Cell = typeof FREE | typeof FURTHEST;
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
