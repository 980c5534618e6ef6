import type { Id } from '@ids/core';
import type { OrderTrace } from './record.js';

/** One call. Times are nanoseconds on one monotonic clock for all processes. */
export interface Call {
  readonly process: number;
  readonly id: Id;
  readonly invoked: number;
  readonly completed: number;
}

/** Two calls out of order: `earlier` completed before `later` started, but its id is not smaller. */
export interface Inversion {
  readonly earlier: Call;
  readonly later: Call;
  /** Nanoseconds from the end of `earlier` to the start of `later`. */
  readonly gap: number;
}

export interface OrderLevels {
  readonly calls: number;
  /** The widest inversion within one process; none: ids of one process increase. */
  readonly withinProcess?: Inversion;
  /** The widest inversion among all processes; none: real-time order. */
  readonly acrossProcesses?: Inversion;
  /**
   * The smallest k such that, listed by completion, no id is k or more places after a greater one
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
 * Goes through the calls from the greatest id down and keeps the earliest completion so far: if a call
 * started after that, the two are out of order, and no other call makes a wider gap with it.
 */
function widestInversion(calls: readonly Call[], compare: Compare): Inversion | undefined {
  // Of equal ids, the one that completed first comes first, so that it is seen before the other.
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

/** Negative, zero or positive, as for `Array.prototype.sort`. */
export type Compare = (a: Id, b: Id) => number;

/**
 * The order in which ids should increase: numbers by value; strings by code unit if the strategy says that
 * they are sortable, else with each run of digits compared as one number.
 */
export function compareIds(text: { readonly sortable: boolean }): Compare {
  const compareText = text.sortable ? byCodeUnit : naturally;
  return (a, b) =>
    typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : a < b ? -1 : a > b ? 1 : 0;
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `a9` before `a10`. Exact for runs of any length: numbers are compared as digits. */
function naturally(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      while (a[i] === '0') i++;
      while (b[j] === '0') j++;
      const aEnd = endOfDigits(a, i);
      const bEnd = endOfDigits(b, j);
      if (aEnd - i !== bEnd - j) return aEnd - i - (bEnd - j);
      for (; i < aEnd; i++, j++) if (a[i] !== b[j]) return a.charCodeAt(i) - b.charCodeAt(j);
    } else {
      if (a[i] !== b[j]) return a.charCodeAt(i) - b.charCodeAt(j);
      i++;
      j++;
    }
  }
  // Different strings must not compare as equal: if only leading zeros differ, code units decide.
  return a.length - i - (b.length - j) || byCodeUnit(a, b);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text, end)) end++;
  return end;
}
