// Also runs in the browser, with what it imports.
import { count, nanoseconds, quantity } from './words.js';

/** A need of ids per second in one process, and of how long 99 of 100 calls at that rate may take. */
interface LoadNeed {
  readonly rate?: number | undefined;
  readonly p99Ms?: number | undefined;
}

/** What was measured at a rate. Times are nanoseconds; `null` if there were too few calls. */
export interface MeasuredLoad {
  /** Ids per second in each process, as asked for, and as the slowest one got. */
  readonly rate: number;
  readonly achieved: number;
  readonly processes: number;
  /** In all processes. */
  readonly calls: number;
  readonly errors: number;
  readonly overloaded: boolean;
  readonly p99: number | null;
  /** The same with ids that cost nothing. */
  readonly floor: { readonly overloaded: boolean; readonly p99: number | null };
}

/** What does not meet a rate and its latency, and what the run cannot tell about them. */
export interface LoadFit {
  readonly unmet: readonly string[];
  readonly unproven: readonly string[];
}

/** By what was measured at that rate; otherwise by `most`, the most ids per second of one process. */
export function loadFit(
  { rate, p99Ms }: LoadNeed,
  most: number | undefined,
  measured: MeasuredLoad | undefined,
): LoadFit {
  if (rate === undefined) return { unmet: [], unproven: [] };
  const at = `${quantity(rate)} ids/s`;
  if (measured?.rate !== rate) {
    return {
      unmet: most !== undefined && most < rate ? [tooSlow(rate, most)] : [],
      unproven:
        p99Ms === undefined && most !== undefined
          ? []
          : [`${p99Ms === undefined ? '' : 'p99 at '}${at}, which was not measured`],
    };
  }
  const { errors, calls, overloaded, achieved, processes, p99, floor } = measured;
  const needed = p99Ms === undefined ? Number.POSITIVE_INFINITY : p99Ms * 1e6;
  const unmet = errors > 0 ? [`rate: ${count(errors)} of ${count(calls)} calls failed at ${at}`] : [];
  if (floor.overloaded || (floor.p99 ?? 0) > needed) {
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
