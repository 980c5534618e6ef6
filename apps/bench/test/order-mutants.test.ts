import type { Guarantees } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { judgeOrder } from '../src/experiments/order/judge.js';
import type { OrderTrace } from '../src/experiments/order/record.js';

const PROCESSES = 4;
const CALLS = 25_000;
const US = 1_000;

const realTime: Guarantees = {
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'real-time' },
  gaps: 'never',
  sync: false,
  idType: 'number',
  text: { pattern: /^\d+$/, maxLength: 16, sortable: false },
  backends: [],
  discloses: [],
};

/**
 * Processes that ask in turn, a microsecond apart, and are answered before the next
 * one asks: in perfect order.
 */
function perfect(): { ids: number[]; invoked: Float64Array; completed: Float64Array }[] {
  return Array.from({ length: PROCESSES }, (_, process) => {
    const turns = Array.from({ length: CALLS }, (_, i) => i * PROCESSES + process);
    return {
      ids: turns,
      invoked: Float64Array.from(turns, (turn) => turn * US),
      completed: Float64Array.from(turns, (turn) => (turn + 0.5) * US),
    };
  });
}

/** Gives the ids of two turns to each other. */
function swapped(a: number, b: number): OrderTrace[] {
  const traces = perfect();
  const set = (turn: number, id: number) => {
    const ids = traces[turn % PROCESSES]?.ids;
    if (ids) ids[Math.floor(turn / PROCESSES)] = id;
  };
  set(a, b);
  set(b, a);
  return traces;
}

const LAST = PROCESSES * CALLS - 1;

describe('order among 100,000 calls of four processes', () => {
  it('is real-time where nothing is wrong', () => {
    expect(judgeOrder(perfect(), realTime)).toMatchObject({ observed: 'real-time', brokenClaims: [] });
  });

  it.each([
    ['the first two calls', 0, 1],
    ['two calls in the middle', 49_998, 49_999],
    ['the last two calls', LAST - 1, LAST],
  ])('is refuted by one inversion of half a microsecond: %s', (_, a, b) => {
    const { brokenClaims, skewMs } = judgeOrder(swapped(a, b), realTime);
    expect(brokenClaims).toEqual([
      expect.stringMatching(new RegExp(`claims real-time order, but process ${a % 4} had ${b} .* got ${a}$`)),
    ]);
    expect(skewMs).toBeCloseTo(0.0005, 6);
  });

  it('is refuted within a process too, where the two calls are of the same one', () => {
    const { brokenClaims } = judgeOrder(swapped(1_000, 1_004), realTime);
    expect(brokenClaims).toEqual([
      expect.stringContaining('claims increasing ids within a process, but process 0 had 1004'),
      expect.stringContaining('claims real-time order, but process 0 had 1004'),
    ]);
  });

  it('is refuted by one segment that was reserved early and given late', () => {
    const traces = perfect();
    const late = traces[2]?.ids ?? [];
    // Ten ids that were nobody's: half a unit below those of ten turns of long before,
    // so that all still differ.
    for (let i = 0; i < 10; i++) late[20_000 + i] = 10_000 + i - 0.5;
    const { brokenClaims } = judgeOrder(traces, realTime);
    // The widest gaps: the last call that was late, and the first that had had a greater id, of
    // its own process and of all.
    expect(brokenClaims).toEqual([
      expect.stringMatching(/within a process, but process 2 had 10010 .* got 10008\.5$/),
      expect.stringMatching(/real-time order, but process 1 had 10009 .* got 10008\.5$/),
    ]);
  });

  it('stands where calls overlapped: the one that asked first may get the greater id', () => {
    const traces = swapped(500, 501);
    // The call of turn 500 was not complete when that of turn 501 asked.
    const { completed } = traces[500 % PROCESSES] as OrderTrace;
    completed[Math.floor(500 / PROCESSES)] = 501.2 * US;
    expect(judgeOrder(traces, realTime)).toMatchObject({
      observed: 'real-time',
      brokenClaims: [],
    });
  });
});
