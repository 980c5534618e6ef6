import { describe, expect, it } from 'vitest';
import { FREE, FURTHEST, localCells, SHARED_CELLS_BYTES, sharedCells } from '../src/counter-position.js';

describe.each([
  ['of one thread', localCells],
  ['shared by threads', () => sharedCells(new SharedArrayBuffer(SHARED_CELLS_BYTES))],
])('cells %s', (_, newCells) => {
  it('hold 0 at first, and are written only by whoever knows what they hold', () => {
    const cells = newCells();
    expect([cells.load(FREE), cells.load(FURTHEST)]).toEqual([0n, 0n]);
    expect(cells.replace(FREE, 0n, 2n ** 56n)).toBe(true);
    expect(cells.replace(FREE, 0n, 7n)).toBe(false);
    expect([cells.load(FREE), cells.load(FURTHEST)]).toEqual([2n ** 56n, 0n]);
  });
});
