import type { Id } from '@ids/core';
import type { Compare } from './compare-ids.js';
import type { OrderTrace } from './record-order.js';

/** One call. Times are nanoseconds on one monotonic clock for all processes. */
export interface Call {
  readonly process: number;
  readonly id: Id;
  readonly invoked: number;
  readonly completed: number;
}

/** Two calls out of order: `earlier` was complete before `later` was asked for, and yet has no smaller id. */
export interface Inversion {
  readonly earlier: Call;
  readonly later: Call;
  /** Nanoseconds from the end of the one to the start of the other. */
  readonly gap: number;
}

export interface OrderLevels {
  readonly calls: number;
  /** The widest inversion within one process; none: ids of one process increase. */
  readonly withinProcess?: Inversion;
  /** The widest inversion among all processes; none: real-time order. */
  readonly acrossProcesses?: Inversion;
  /**
   * The smallest k such that, listed by completion, no id stands k or more places behind a greater one
   * (Twitter's k-sorted: a_i <= a_r for all i <= r - k). 0 is sorted. Calls that overlapped count, so it may
   * be above 0 in real-time order.
   */
  readonly positions: number;
}

/** Exact, in O(n log n) for n calls. */
export function orderLevels(traces: readonly OrderTrace[], compare: Compare): OrderLevels {
  const perProcess = traces.map((trace, process) => callsOf(trace, process));
  const all = perProcess.flat();
  const acrossProcesses = widestInversion(all, compare);
  const withinProcess = perProcess
    .map((calls) => widestInversion(calls, compare))
    .reduce((widest, found) => (found && found.gap > (widest?.gap ?? -1) ? found : widest), undefined);
  return {
    calls: all.length,
    ...(withinProcess && { withinProcess }),
    ...(acrossProcesses && { acrossProcesses }),
    positions: displacement(all, compare),
  };
}

function callsOf({ ids, invoked, completed }: OrderTrace, process: number): Call[] {
  return ids.map((id, index) => ({
    process,
    id,
    invoked: invoked[index] as number,
    completed: completed[index] as number,
  }));
}

/**
 * Goes through the calls from the greatest id down and remembers the earliest completion so far: if that lies
 * before a call was invoked, the two are out of order, and no other partner makes a wider gap for that call.
 */
function widestInversion(calls: readonly Call[], compare: Compare): Inversion | undefined {
  // Of equal ids, the one that was complete first comes first: it must be seen before the other asks.
  const falling = [...calls].sort((a, b) => compare(b.id, a.id) || a.completed - b.completed);
  let earliest: Call | undefined;
  let widest: Inversion | undefined;
  for (const later of falling) {
    if (earliest !== undefined) {
      const gap = later.invoked - earliest.completed;
      if (gap > (widest?.gap ?? 0)) widest = { earlier: earliest, later, gap };
    }
    if (earliest === undefined || later.completed < earliest.completed) earliest = later;
  }
  return widest;
}

function displacement(calls: readonly Call[], compare: Compare): number {
  const byCompletion = [...calls].sort((a, b) => a.completed - b.completed || a.invoked - b.invoked);
  const falling = byCompletion.map((_, position) => position);
  const idAt = (position: number): Id => (byCompletion[position] as Call).id;
  falling.sort((a, b) => compare(idAt(b), idAt(a)) || a - b);
  let first = Number.POSITIVE_INFINITY;
  let furthest = -1;
  for (const position of falling) {
    furthest = Math.max(furthest, position - first);
    first = Math.min(first, position);
  }
  // The furthest pair is `furthest` places apart and wrong, so only pairs further apart
  // than that are all right.
  return furthest < 0 ? 0 : furthest + 1;
}
