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
 * What does not meet a rate and its latency, and what the run cannot tell about them: by what was measured at
 * that rate, otherwise by the most ids per second of one process.
 */
export function loadFit({ rate, p99Ms }: ServiceNeeds, result: CaseResult): Pick<Fit, 'unmet' | 'unproven'> {
  if (rate === undefined) return { unmet: [], unproven: [] };
  const at = `${quantity(rate)} ids/s`;
  const { atRate } = result;
  if (atRate?.rate !== rate) {
    const most = bestRate(result)?.idsPerSecond;
    const open = p99Ms !== undefined || most === undefined;
    return {
      unmet: most !== undefined && most < rate ? [tooSlow(rate, most)] : [],
      unproven: open ? [`${p99Ms === undefined ? '' : 'p99 at '}${at}, which was not measured`] : [],
    };
  }
  const { errors, calls, overloaded, achieved, processes, baseline } = atRate;
  const p99 = p99Of(atRate);
  const needed = p99Ms === undefined ? Number.POSITIVE_INFINITY : p99Ms * 1e6;
  const unmet = errors > 0 ? [`rate: ${count(errors)} of ${count(calls)} calls failed at ${at}`] : [];
  if (baseline.overloaded || (p99Of(baseline) ?? 0) > needed) {
    const why = 'this machine cannot ask for ids that fast, whatever they cost';
    return { unmet, unproven: [`${at} in ${processes} processes: ${why}`] };
  }
  if (overloaded) {
    unmet.push(`rate: needs ${at} in each of ${processes} processes, measured ${quantity(achieved)}`);
  }
  if (p99 !== null && p99 > needed) {
    unmet.push(`p99: needs ${nanoseconds(needed)}, measured ${nanoseconds(p99)} at ${at}`);
  }
  const tooFew = p99Ms !== undefined && p99 === null;
  return { unmet, unproven: tooFew ? [`p99 at ${at}: ${count(calls)} calls are too few`] : [] };
}

/** With as many digits as it takes to tell the two numbers apart. */
function tooSlow(rate: number, most: number): string {
  const alike = rate.toPrecision(3) === most.toPrecision(3);
  const shown = alike ? (value: number) => count(Math.round(value)) : quantity;
  return `rate: needs ${shown(rate)} ids/s, measured ${shown(most)}`;
}
