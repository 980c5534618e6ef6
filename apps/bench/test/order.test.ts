import type { Guarantees, Id } from '@ids/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareIds, judgeOrder } from '../src/experiments/order/judge.js';
import type { OrderTrace } from '../src/experiments/order/record.js';

const MS = 1e6;

type PlainCall = readonly [id: Id, invoked: number, completed: number];

function trace(calls: readonly PlainCall[]): OrderTrace {
  return {
    ids: calls.map(([id]) => id),
    invoked: Float64Array.from(calls, ([, invoked]) => invoked),
    completed: Float64Array.from(calls, ([, , completed]) => completed),
  };
}

/** `count` calls of one process, a millisecond apart, half a millisecond long. */
function calls(count: number, idOf: (index: number) => Id, start = 0): PlainCall[] {
  return Array.from({ length: count }, (_, i) => [idOf(i), start + i * MS, start + (i + 0.5) * MS]);
}

function guarantees(order: Guarantees['order'], sortable = false): Guarantees {
  return {
    unique: 'cluster',
    order,
    gaps: 'never',
    sync: false,
    idType: 'number',
    text: { pattern: /^/, maxLength: 20, sortable },
    backends: [],
    discloses: [],
  };
}

const realTime = guarantees({ process: 'increasing', cluster: 'real-time' });
const perProcess = guarantees({ process: 'increasing', cluster: 'none' });

describe('judgeOrder', () => {
  it('sees real-time order where no finished call has a greater id than a later one', () => {
    const even = trace(calls(1_000, (i) => 2 * i));
    const odd = trace(calls(1_000, (i) => 2 * i + 1, 0.6 * MS));
    expect(judgeOrder([even, odd], realTime)).toMatchObject({ observed: 'real-time', brokenClaims: [] });
  });

  it('finds a single inversion among 20,000 calls and shows it', () => {
    const even = calls(10_000, (i) => 2 * i);
    const odd = calls(10_000, (i) => 2 * i + 1, 0.6 * MS);
    // Ids 8001 and 8003 change places: process 1 has 8003 before it asks for what becomes 8001.
    const swapped = odd
      .with(4_000, [8_003, 4_000.6 * MS, 4_001.1 * MS])
      .with(4_001, [8_001, 4_001.6 * MS, 4_002.1 * MS]);
    const { observed, brokenClaims, counterExample } = judgeOrder([trace(even), trace(swapped)], realTime);
    expect(observed).toBe('k-sorted');
    expect(brokenClaims).toHaveLength(2);
    expect(counterExample).toBe(
      'process 1 had 8003 at 4001.100 ms, and the same process, asking 0.500 ms later at 4001.600 ms, got 8001',
    );
  });

  it('finds one segment that came late among many in order', () => {
    const inOrder = calls(5_000, (i) => 10_000 + i);
    const late = calls(10, (i) => 500 + i, 2_000.6 * MS);
    const { observed, brokenClaims } = judgeOrder([trace(inOrder), trace(late)], realTime);
    expect(observed).toBe('k-sorted');
    expect(brokenClaims).toEqual([expect.stringContaining('claims real-time order, but process 0 had')]);
  });

  it('does not call a run sorted whose processes hold segments as long as it lasts', () => {
    const traces = [0, 1].map((process) => trace(calls(1_000, (i) => process * 1_000 + i)));
    expect(judgeOrder(traces, perProcess)).toMatchObject({ observed: 'per process', brokenClaims: [] });
  });

  it('sees no order where a process goes back as far as the run lasts', () => {
    const { observed, brokenClaims, counterExample } = judgeOrder(
      [trace(calls(100, (i) => 100 - i))],
      perProcess,
    );
    expect(observed).toBe('none');
    expect(brokenClaims).toEqual([expect.stringContaining('claims increasing ids within a process')]);
    expect(counterExample).toContain('process 0 had 100 at 0.500 ms');
  });

  it.each([
    [100, 0],
    [98, 1],
  ])('holds a claim of %i ms to the widest inversion, 98.5 ms', (skewMs, broken) => {
    // Process 1 is 99 ms behind: at 99.5 ms it had not yet got the id that process 0 had at 0.5 ms.
    const traces = [trace(calls(1_000, (i) => i + 99)), trace(calls(1_000, (i) => i - 0.5))];
    const claim = guarantees({ process: 'increasing', cluster: 'k-sorted', skewMs });
    const { skewMs: observed, brokenClaims } = judgeOrder(traces, claim);
    expect(observed).toBeCloseTo(98.5, 6);
    expect(brokenClaims).toHaveLength(broken);
  });

  it('says which claim it was too short to refute', () => {
    const traces = [trace(calls(1_000, (i) => i)), trace(calls(1_000, (i) => i + 0.5))];
    const untested = (skewMs: number) =>
      judgeOrder(traces, guarantees({ process: 'increasing', cluster: 'k-sorted', skewMs })).untested;
    expect(untested(11_000)).toEqual([
      expect.stringMatching(/^order beyond 11000 ms, of which \d+ ms of calls show nothing$/),
    ]);
    expect(untested(100)).toBeUndefined();
    expect(judgeOrder(traces, guarantees(perProcess.order)).untested).toBeUndefined();
  });

  it('compares texts by code unit only where the strategy says that this works', () => {
    const texts = trace(calls(20, (i) => `p/${i}`));
    expect(judgeOrder([texts], guarantees(perProcess.order, false)).brokenClaims).toEqual([]);
    expect(judgeOrder([texts], guarantees(perProcess.order, true)).brokenClaims).toHaveLength(1);
  });
});

describe('compareIds', () => {
  const natural = compareIds({ sortable: false });

  it('reads digits in texts as numbers', () => {
    const sorted = ['a:1/9', 'a:1/10', 'a:2/1', 'a:10/1', 'b'];
    expect([...sorted].reverse().sort(natural)).toEqual(sorted);
  });

  it('is a total order on any texts', () => {
    const text = fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', '/'), maxLength: 6 });
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(Math.sign(natural(a, b))).toBe(-Math.sign(natural(b, a)) + 0);
        expect(natural(a, b) === 0).toBe(a === b);
        if (natural(a, b) < 0 && natural(b, c) < 0) expect(natural(a, c)).toBeLessThan(0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('compares numbers by value, also far beyond doubles', () => {
    expect(natural(9, 10)).toBeLessThan(0);
    expect(natural(2n ** 60n, 2n ** 60n + 1n)).toBeLessThan(0);
    expect(natural(4, 4)).toBe(0);
  });
});
