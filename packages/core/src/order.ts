// For programs that check the order of ids: the conformance kit and the bench. Services do not need it.
import type { Id } from './id-generator.js';

/** A call that returned ids. Both times are of one monotonic clock, in any unit. */
export interface TimedCall {
  readonly invoke: number;
  readonly complete: number;
  /** At least one. */
  readonly ids: readonly Id[];
}

/** Negative, zero or positive, as for `Array.prototype.sort`. */
export type CompareIds = (a: Id, b: Id) => number;

/** Numbers by value, strings by code unit: as the operator `<` orders them, the same in every locale. */
export function naturalOrder(a: Id, b: Id): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Two calls out of order: `earlier` completed before `later` was invoked, but `high` is not below `low`. */
export interface Inversion<Call extends TimedCall> {
  readonly earlier: Call;
  readonly later: Call;
  /** The highest id of `earlier`, and the lowest of `later`; the first one, if several are equal. */
  readonly high: Id;
  readonly low: Id;
  /** From the completion of `earlier` to the invocation of `later`. */
  readonly gap: number;
}

/**
 * The calls that are out of order with an earlier one by more than `slack`, each with the one that makes the
 * widest gap, in the order in which they were invoked. None with a `slack` of 0: the ids are in real-time
 * order. Exact, in O(n log n) for n calls.
 */
export function inversionsOf<Call extends TimedCall>(
  calls: readonly Call[],
  compare: CompareIds,
  slack = 0,
): Inversion<Call>[] {
  const highest = calls.map((call) => ({ call, id: extreme(call, (a, b) => compare(a, b) > 0) }));
  const lowest = calls.map((call) => ({ call, id: extreme(call, (a, b) => compare(a, b) < 0) }));
  highest.sort((a, b) => compare(b.id, a.id));
  lowest.sort((a, b) => compare(b.id, a.id));
  const found: Inversion<Call>[] = [];
  // From the greatest id down: of all calls with a greater or equal one, the first that completed counts.
  let seen = 0;
  let first: (typeof highest)[number] | undefined;
  for (const { call: later, id: low } of lowest) {
    for (let next = highest[seen]; next !== undefined && compare(next.id, low) >= 0; next = highest[++seen]) {
      if (first === undefined || next.call.complete < first.call.complete) first = next;
    }
    const gap = first === undefined ? 0 : later.invoke - first.call.complete;
    if (first !== undefined && gap > slack) {
      found.push({ earlier: first.call, later, high: first.id, low, gap });
    }
  }
  return found.sort((a, b) => a.later.invoke - b.later.invoke);
}

function extreme({ ids }: TimedCall, isBetter: (a: Id, b: Id) => boolean): Id {
  const [first] = ids;
  if (first === undefined) throw new RangeError('a call without ids has no extreme');
  return ids.reduce((best, id) => (isBetter(id, best) ? id : best), first);
}
