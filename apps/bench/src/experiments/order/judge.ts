import type { Guarantees } from '@ids/core';
import { type CompareIds, type Inversion, inversionsOf, naturalOrder, type TimedCall } from '@ids/core/order';
import type { OrderResult } from '../../schema/case.js';
import { runWorkers } from '../../worker/workers.js';
import { PROCESS_MS } from '../profile.js';
import { type BenchPlan, type Experiment, oncePerCase, strategiesOf } from '../steps.js';
import { type OrderTrace, orderJob } from './record.js';

/**
 * The last process makes this many times fewer calls, like one at the edge of a cluster. What it holds in
 * memory gets old, which would not show if all processes were equally busy.
 */
const IDLER_SHARE = 100;

/** On one machine, all processes have one clock. A claim of real-time order must hold without that. */
const CLOCK_BEHIND_S = 1;

/** Fewer calls than for uniqueness, each with its times, and the strongest order that they show. */
export function order({ profile, processes, records }: BenchPlan): Experiment<OrderResult> {
  const { calls, windowMs, concurrency } = profile.order;
  const stepMs = { work: 2 * PROCESS_MS, fixed: windowMs };
  const about = { title: 'order', timeoutMs: profile.timeoutMs.trial, stepMs };
  return oncePerCase(about, strategiesOf(records), async ({ name, benchCase }, context) => {
    const { guarantees } = benchCase;
    const epoch = process.hrtime.bigint();
    // Other orders are claimed for hosts whose clocks agree.
    const late = guarantees.order.cluster === 'real-time' && processes > 1 ? 0 : undefined;
    const requests = Array.from({ length: processes }, (_, index) => ({
      count: index === processes - 1 ? Math.ceil(calls / IDLER_SHARE) : calls,
      windowMs,
      concurrency,
      epoch,
      ...(index === late && { clockBehindS: CLOCK_BEHIND_S }),
    }));
    return judgeOrder(await runWorkers(orderJob, requests, name, context), guarantees, late);
  });
}

/** An inversion wider than this share of the observed time shows no bound. */
const BOUNDED_SHARE = 0.6;

/** Compares what was observed with what the strategy claims. `late`: the process whose clocks were behind. */
export function judgeOrder(
  traces: readonly OrderTrace[],
  { order: { process, cluster, skewMs: claimed = 0 }, text }: Guarantees,
  late?: number,
): OrderResult {
  const calls = traces.map(callsOf);
  const widest = (some: readonly Call[]) =>
    inversionsOf(some, compareIds(text)).reduce<Inversion<Call> | undefined>(
      (a, b) => (b.gap > (a?.gap ?? 0) ? b : a),
      undefined,
    );
  const within = calls.map(widest).reduce((a, b) => (b && b.gap > (a?.gap ?? 0) ? b : a), undefined);
  const across = widest(calls.flat());
  const skewMs = (across?.gap ?? 0) / 1e6;
  const watchedMs = durationMs(calls.flat());
  // Segments that processes hold are as far apart as the observation lasts: that shows no bound.
  const bounded = skewMs < BOUNDED_SHARE * watchedMs;
  const observed = !across ? 'real-time' : bounded ? 'k-sorted' : within ? 'none' : 'per process';
  const refuting = observed === 'none' ? within : across;
  const brokenClaims: string[] = [];
  const broken = (claim: string, by: string) => brokenClaims.push(`claims ${claim}, but ${by}`);
  if (process === 'increasing' && within) broken('increasing ids within a process', describe(within));
  if (cluster === 'real-time' && across) {
    broken('real-time order', `${describe(across)}${lateClock(across, late)}`);
  }
  if (cluster === 'k-sorted' && across && skewMs > claimed) {
    broken(`order beyond ${claimed} ms`, describe(across));
  }
  // Two calls that far apart were never seen, in whatever order their ids would have been.
  const open = cluster === 'k-sorted' && brokenClaims.length === 0 && watchedMs <= claimed;
  const nothing = `order beyond ${claimed} ms, of which ${Math.round(watchedMs)} ms of calls show nothing`;
  return {
    ...{ calls: calls.flat().length, processes: traces.length, observed, skewMs, brokenClaims },
    ...(refuting && { counterExample: describe(refuting) }),
    ...(open && { untested: [nothing] }),
  };
}

interface Call extends TimedCall {
  readonly process: number;
}

function callsOf({ ids, invoked, completed }: OrderTrace, process: number): Call[] {
  return ids.map((id, i) => ({ process, ids: [id], invoke: invoked[i] ?? 0, complete: completed[i] ?? 0 }));
}

function durationMs(calls: readonly Call[]): number {
  const first = calls.reduce((least, { invoke }) => Math.min(least, invoke), Infinity);
  return calls.reduce((most, { complete }) => Math.max(most, complete - first), 0) / 1e6;
}

function describe({ earlier, later, gap, high, low }: Inversion<Call>): string {
  const who = earlier.process === later.process ? 'the same process' : `process ${later.process}`;
  const asked = `asking ${ms(gap)} later at ${ms(later.invoke)}, got ${low}`;
  return `process ${earlier.process} had ${high} at ${ms(earlier.complete)}, and ${who}, ${asked}`;
}

/** Why the order may hold on one machine, and not on two. */
function lateClock({ earlier, later }: Inversion<Call>, late: number | undefined): string {
  const pair = [earlier.process, later.process];
  if (late === undefined || pair[0] === pair[1] || !pair.includes(late)) return '';
  return `; the clocks of process ${late} were ${CLOCK_BEHIND_S} s behind, as those of another host may be`;
}

function ms(nanoseconds: number): string {
  return `${(nanoseconds / 1e6).toFixed(3)} ms`;
}

const digitsAsNumbers = new Intl.Collator('en', { numeric: true });

/**
 * The order in which ids should increase: numbers by value; strings by code unit if the strategy says that
 * they are sortable, else with each run of digits compared as one number.
 */
export function compareIds({ sortable }: { readonly sortable: boolean }): CompareIds {
  if (sortable) return naturalOrder;
  // Different texts must not compare as equal, as `01` and `1` do: then code units decide.
  return (a, b) =>
    typeof a === 'string' && typeof b === 'string'
      ? digitsAsNumbers.compare(a, b) || naturalOrder(a, b)
      : naturalOrder(a, b);
}
