import type { Id } from '@ids/core';
import fc from 'fast-check';
import { emptyHistory, type History, type HistoryRecord } from '../../src/index.js';

type Call = readonly [process: number, invoke: number, complete: number, ...ids: Id[]];

/**
 * A history of the calls given; times are in milliseconds, calls of a process are
 * numbered in the order given.
 */
export function historyOf(...calls: readonly Call[]): History {
  return historyOfCalls(calls);
}

export function historyOfCalls(calls: readonly Call[]): History {
  const made = new Map<number, number>();
  const records = calls.map(([process, invoke, complete, ...ids]): HistoryRecord => {
    const call = (made.get(process) ?? 0) + 1;
    made.set(process, call);
    return { process, call, invoke: invoke * 1e6, complete: complete * 1e6, ids };
  });
  return { ...emptyHistory(), records };
}

/**
 * Small histories in which few ids and instants meet often: overlapping calls, ties and duplicates are
 * common. Half of them obey every level but for a little damage, so that both verdicts occur.
 */
export function histories(id: (n: number) => Id): fc.Arbitrary<History> {
  const call = fc.record({
    process: fc.integer({ min: 1, max: 3 }),
    invoke: fc.integer({ min: 0, max: 20 }),
    lasts: fc.integer({ min: 0, max: 6 }),
    ids: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 3 }),
  });
  return fc.tuple(fc.array(call, { maxLength: 12 }), fc.boolean()).map(([calls, orderly]) => {
    const sorted = calls.toSorted((a, b) => a.invoke - b.invoke);
    let last = 0;
    return historyOfCalls(
      sorted.map(({ process, invoke, lasts, ids }) => {
        const given = orderly ? ids.map((n) => (n === 0 ? last : ++last)) : ids;
        return [process, invoke, invoke + lasts, ...given.map(id)];
      }),
    );
  });
}
