import { PERCENTILES } from '../measure/latencies.js';
import type { Fit, ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import type { LoadResult } from '../schema/figures.js';
import { count, nanoseconds, quantity } from './words.js';

/**
 * The most ids per second that one process issued one by one, and how it was asked for them; at most the
 * limit of the format, and `undefined` if nothing was measured.
 */
export function bestRate({ sync, loops = [], maxIdsPerSecond }: CaseResult) {
  const [best] = [
    ...(sync ? [{ idsPerSecond: sync.sustained.median, how: 'without waiting' }] : []),
    ...loops
      .filter(({ batch }) => batch === 1)
      .map((loop) => ({ idsPerSecond: loop.idsPerSecond.median, how: callersText(loop.concurrency) })),
  ].sort((a, b) => b.idsPerSecond - a.idsPerSecond);
  if (best === undefined || maxIdsPerSecond === undefined || best.idsPerSecond < maxIdsPerSecond) return best;
  return { idsPerSecond: maxIdsPerSecond, how: 'limit of its format' };
}

function callersText(callers: number): string {
  return callers === 1 ? '1 caller that waits' : `${callers} callers that wait`;
}

/** In nanoseconds; `null` if there were too few calls. */
export function p99Of({ latency }: Pick<LoadResult, 'latency'>): number | null {
  return latency[PERCENTILES.indexOf(99)] ?? null;
}

/**
 * Ids per second of `next()` alone, in one process: of closed loops, otherwise of 16 callers of a process
 * that is no longer new. `undefined` if neither was measured.
 */
export function nextRate({
  loops = [],
  slowdown,
  maxIdsPerSecond = Infinity,
}: CaseResult): number | undefined {
  const oneByOne = loops.filter(({ batch }) => batch === 1).map((loop) => loop.idsPerSecond.median);
  const { waiting } = slowdown?.later ?? {};
  const found = oneByOne.length > 0 ? Math.max(...oneByOne) : waiting && 1e9 / waiting;
  return found && Math.min(found, maxIdsPerSecond);
}

/**
 * What does not meet a rate and its latency, and what the run cannot tell about them: by what `next()` did at
 * that rate, otherwise by its most ids per second in one process. `nextSync` is judged only if it is needed.
 */
export function loadFit(needs: ServiceNeeds, result: CaseResult): Pick<Fit, 'unmet' | 'unproven'> {
  const { rate, p99Ms } = needs;
  if (rate === undefined) return { unmet: [], unproven: [] };
  const at = `${quantity(rate)} ids/s`;
  const { atRate } = result;
  if (atRate?.rate !== rate) {
    const most = nextRate(result);
    const open = p99Ms !== undefined || most === undefined;
    return {
      unmet: most !== undefined && most < rate ? [tooSlow(rate, most)] : [],
      unproven: open ? [`${p99Ms === undefined ? '' : 'p99 at '}${at}, which was not measured`] : [],
    };
  }
  const { processes, baseline, nextSync } = atRate;
  const needed = p99Ms === undefined ? Number.POSITIVE_INFINITY : p99Ms * 1e6;
  const judged = [atRate, ...(needs.sync && nextSync ? [nextSync] : [])];
  const failed = judged.flatMap(({ errors, calls }) =>
    errors > 0 ? [`rate: ${count(errors)} of ${count(calls)} calls failed at ${at}`] : [],
  );
  if (baseline.overloaded || (p99Of(baseline) ?? 0) > needed) {
    const why = 'this machine cannot ask for ids that fast, whatever they cost';
    return { unmet: failed, unproven: [`${at} in ${processes} processes: ${why}`] };
  }
  const missed = judged.flatMap((load) => {
    const p99 = p99Of(load);
    const how = nextSync === undefined ? '' : ` with ${load === nextSync ? 'nextSync' : 'next()'}`;
    const measured = quantity(load.achieved);
    return [
      ...(load.overloaded
        ? [`rate: needs ${at} in each of ${processes} processes, measured ${measured}${how}`]
        : []),
      ...(p99 !== null && p99 > needed
        ? [`p99: needs ${nanoseconds(needed)}, measured ${nanoseconds(p99)} at ${at}${how}`]
        : []),
    ];
  });
  const few = judged.filter((load) => p99Ms !== undefined && p99Of(load) === null);
  return {
    unmet: [...failed, ...missed],
    unproven: few.map(({ calls }) => `p99 at ${at}: ${count(calls)} calls are too few`),
  };
}

/** With as many digits as it takes to tell the two numbers apart. */
function tooSlow(rate: number, most: number): string {
  const alike = rate.toPrecision(3) === most.toPrecision(3);
  const shown = alike ? (value: number) => count(Math.round(value)) : quantity;
  return `rate: needs ${shown(rate)} ids/s, measured ${shown(most)}`;
}
