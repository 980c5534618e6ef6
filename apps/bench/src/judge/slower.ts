import type { CaseResult } from '../schema/case.js';
import { count, durationText, nanoseconds } from './words.js';

/** Of honest strategies, the best of many rounds differs by much less, even on a busy machine. */
const SLOWER = 3;

/**
 * How slow a process got that is older and has issued more ids than those of the trials: the figures of the
 * run are then not those of a service. Empty if it is about as fast as they are. The first ids may have been
 * slow because the generator also filled a store: then the trials show the difference, since their warm-up is
 * left out.
 */
export function slowerText({ slowdown, sync }: CaseResult): string[] {
  if (slowdown === undefined) return [];
  const { first, later, afterMs, taken } = slowdown;
  const ways = [
    ['nextSync', Math.min(first.sync ?? Infinity, sync?.ns.median ?? Infinity), later.sync],
    ['next', first.waiting ?? Infinity, later.waiting],
  ] as const;
  return ways.flatMap(([way, before, after = 0]) =>
    after < SLOWER * before
      ? []
      : `slows down: ${way} took ${nanoseconds(before)} per id, and ${nanoseconds(after)} after ` +
        `${durationText(afterMs / 1_000)} and ${count(taken)} ids`,
  );
}
