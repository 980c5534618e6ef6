import type { Guarantees, Id } from '@ids/core';
import type { Anatomy, OrderResult, OrderSample } from '../../schema/case.js';
import { runWorkers } from '../../worker/workers.js';
import type { BenchPlan, CaseRecord, CaseStep, Experiment } from '../steps.js';
import {
  type Call,
  type Compare,
  compareIds,
  type Inversion,
  type OrderLevels,
  orderLevels,
} from './levels.js';
import { type OrderTrace, orderJob } from './record.js';

/**
 * The last process makes this many times fewer calls, like one at the edge of a cluster. What it holds in
 * memory gets old, which would not show if all processes were equally busy.
 */
const IDLER_SHARE = 100;

/** On one machine, all processes have one clock. A claim of real-time order must hold without that. */
const CLOCK_BEHIND_S = 1;

/** What was found out about the ids of one strategy, in several processes at once. */
export interface OrderFindings {
  readonly order: OrderResult;
  /** Of one id of this run. */
  readonly anatomy: Anatomy | undefined;
}

/** Fewer calls than for uniqueness, each with its times, and the strongest order that they show. */
export function order({ profile, processes, records }: BenchPlan): Experiment<OrderFindings> {
  const { calls, windowMs, concurrency } = profile.order;
  const results = new Map<CaseRecord, OrderFindings>();
  const steps = records.flatMap((record): CaseStep[] => {
    const { benchCase } = record;
    if (benchCase.kind !== 'strategy') return [];
    const run: CaseStep['run'] = async (context) => {
      const epoch = process.hrtime.bigint();
      // Other orders are claimed for hosts whose clocks agree.
      const late = benchCase.guarantees.order.cluster === 'real-time' && processes > 1 ? 0 : undefined;
      const requests = Array.from({ length: processes }, (_, index) => ({
        count: index === processes - 1 ? Math.ceil(calls / IDLER_SHARE) : calls,
        windowMs,
        concurrency,
        epoch,
        ...(index === late && { clockBehindS: CLOCK_BEHIND_S }),
      }));
      const traces = await runWorkers(orderJob, requests, record.name, context);
      const id = traces[0]?.ids.at(-1);
      const anatomy = id === undefined ? undefined : benchCase.anatomyOf?.(id);
      results.set(record, { order: judgeOrder(traces, benchCase.guarantees, late), anatomy });
    };
    return [{ phase: 'order', name: benchCase.name, seconds: 1.5 + windowMs / 1_000, record, run }];
  });
  return {
    phase: { title: 'order', timeoutMs: profile.timeoutMs.trial, steps },
    resultOf: (record) => results.get(record),
  };
}

/**
 * An inversion wider than this share of the observed time shows no bound: segments that processes hold are as
 * far apart as the observation lasts.
 */
const BOUNDED_SHARE = 0.6;

/** Compares what was observed with what the strategy claims. `late`: the process whose clocks were behind. */
export function judgeOrder(
  traces: readonly OrderTrace[],
  { order, text }: Guarantees,
  late?: number,
): OrderResult {
  const compare = compareIds(text);
  const levels = orderLevels(traces, compare);
  const { withinProcess, acrossProcesses, calls, positions } = levels;
  const skewMs = (acrossProcesses?.gap ?? 0) / 1e6;
  const watchedMs = durationMs(traces);
  const observed = observedLevel(levels, skewMs < BOUNDED_SHARE * watchedMs);
  const refuting = observed === 'none' ? withinProcess : acrossProcesses;
  const brokenClaims: string[] = [];
  if (order.process === 'increasing' && withinProcess) {
    brokenClaims.push(`claims increasing ids within a process, but ${describe(withinProcess)}`);
  }
  if (order.cluster === 'real-time' && acrossProcesses) {
    brokenClaims.push(
      `claims real-time order, but ${describe(acrossProcesses)}${lateClock(acrossProcesses, late)}`,
    );
  }
  if (order.cluster === 'k-sorted' && acrossProcesses && skewMs > (order.skewMs ?? 0)) {
    brokenClaims.push(`claims order beyond ${order.skewMs ?? 0} ms, but ${describe(acrossProcesses)}`);
  }
  // Two calls that far apart were never seen, in whatever order their ids would have been.
  const untested =
    order.cluster === 'k-sorted' && brokenClaims.length === 0 && watchedMs <= (order.skewMs ?? 0)
      ? [`order beyond ${order.skewMs} ms, of which ${Math.round(watchedMs)} ms of calls show nothing`]
      : [];
  return {
    calls,
    processes: traces.length,
    observed,
    skewMs,
    positions,
    ...(refuting && { counterExample: describe(refuting) }),
    brokenClaims,
    ...(untested.length > 0 && { untested }),
    samples: sampleOrder(traces, compare),
  };
}

function observedLevel(
  { withinProcess, acrossProcesses }: OrderLevels,
  bounded: boolean,
): OrderResult['observed'] {
  if (!acrossProcesses) return 'real-time';
  if (bounded) return 'k-sorted';
  return withinProcess ? 'none' : 'per process';
}

function durationMs(traces: readonly OrderTrace[]): number {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { invoked, completed } of traces) {
    for (const time of invoked) first = Math.min(first, time);
    for (const time of completed) last = Math.max(last, time);
  }
  return Math.max(0, last - first) / 1e6;
}

function describe({ earlier, later, gap }: Inversion): string {
  const who = earlier.process === later.process ? 'the same process' : `process ${later.process}`;
  return (
    `process ${earlier.process} had ${show(earlier.id)} at ${ms(earlier.completed)}, and ${who}, asking ` +
    `${ms(gap)} later at ${ms(later.invoked)}, got ${show(later.id)}`
  );
}

/** Why the order may hold on one machine, and not on two. */
function lateClock({ earlier, later }: Inversion, late: number | undefined): string {
  const pair = [earlier.process, later.process];
  if (late === undefined || pair[0] === pair[1] || !pair.includes(late)) return '';
  return `; the clocks of process ${late} were ${CLOCK_BEHIND_S} s behind, as those of another host may be`;
}

function ms(nanoseconds: Call['invoked']): string {
  return `${(nanoseconds / 1e6).toFixed(3)} ms`;
}

function show(id: Id): string {
  return String(id);
}

const DRAWN = 60;

/** Samples by process, in O(n log n) for n calls. */
export function sampleOrder(traces: readonly OrderTrace[], compare: Compare): OrderSample[] {
  const ids = traces.flatMap((trace) => trace.ids);
  const places = ids.map((_, place) => place);
  places.sort((a, b) => compare(ids[a] as Id, ids[b] as Id));
  const rankOf = new Uint32Array(ids.length);
  for (const [rank, place] of places.entries()) rankOf[place] = rank;
  const start = traces.reduce((least, { invoked }) => Math.min(least, invoked[0] ?? least), Infinity);
  let before = 0;
  return traces.map(({ ids: own, completed }) => {
    const count = Math.min(DRAWN, own.length);
    const drawn = Array.from({ length: count }, (_, i) => Math.floor((i * own.length) / count));
    const sample = {
      at: drawn.map((index) => Math.round(((completed[index] as number) - start) / 1e4) / 100),
      rank: drawn.map((index) => rankOf[before + index] as number),
    };
    before += own.length;
    return sample;
  });
}
