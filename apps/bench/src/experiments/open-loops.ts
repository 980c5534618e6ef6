import { median } from 'simple-statistics';
import {
  CALLS_FOR_P99,
  CALLS_FOR_P999,
  type Latencies,
  merged,
  PERCENTILES,
  p99OfWorst,
  percentile,
  percentilesOf,
} from '../measure/latencies.js';
import {
  emptyLoopJob,
  type OpenLoopMeasure,
  type OpenLoopRequest,
  openLoopJob,
} from '../measure/open-loop.js';
import { MIN_BLOCKS } from '../measure/statistics.js';
import type { AtRateResult, LoadResult, OpenLoopResult } from '../schema/figures.js';
import { runWorkers } from '../worker/workers.js';
import { LOAD_SHARES, PROCESS_MS } from './profile.js';
import { type BenchPlan, type CaseRecord, type Experiment, oncePerCase, Trials } from './steps.js';
import type { ClosedLoops } from './throughput.js';

/** Open loops at shares of the capacity that the closed loops found. */
export function openLoops(
  { profile, records }: BenchPlan,
  capacityOf: ClosedLoops['capacityOf'],
): Experiment<readonly OpenLoopResult[]> {
  const { blocks, ms } = profile.openLoop;
  const trials = new Trials<readonly OpenLoopMeasure[]>();
  const concerned = records.filter(({ benchCase }) => benchCase.backends.length > 0);
  // The warm-up takes half as long as one of the rates.
  const stepMs = { work: PROCESS_MS, fixed: (LOAD_SHARES.length + 0.5) * ms };
  const about = { title: 'open loops', timeoutMs: profile.timeoutMs.trial, stepMs, blocks };
  const phase = trials.phase(about, concerned, openLoopJob, (record) => {
    const capacity = capacityOf(record);
    return capacity === undefined ? undefined : { rates: LOAD_SHARES.map((share) => share * capacity), ms };
  });
  return {
    phase,
    resultOf: (record) =>
      LOAD_SHARES.flatMap((share, index) => {
        const measures = trials.finished(record).flatMap((block) => block[index] ?? []);
        if (measures.length === 0) return [];
        const latency = percentilesOf(merged(measures.flatMap((measure) => measure.blocks)));
        return { share, rate: median(measures.map(({ rate }) => rate)), ...sumOf(measures), latency };
      }),
  };
}

/** Of all blocks and processes together. */
function sumOf(measures: readonly OpenLoopMeasure[]) {
  const blocks = measures.flatMap((one) => one.blocks);
  return {
    p99OfWorstBlock: p99OfWorst(blocks),
    max: Math.max(...blocks.map(({ max }) => max)),
    calls: measures.reduce((sum, { calls }) => sum + calls, 0),
    overloaded: measures.some(({ overloaded }) => overloaded),
  };
}

/**
 * The highest rate that open loops can keep: each call costs a reading of the clock and an entry in a
 * histogram. Above it, bursts show whether a rate can be met.
 */
const HIGHEST_RATE = 1_000_000;

/** A process that gets fewer ids than this share of the rate is overloaded. */
const KEPT_UP = 0.95;

const WARM_UP_MS = 200;

/** All strategies, and what people already use, at the rate of the plan, if it has one. */
export function atRate({ profile, processes, records, rate = 0 }: BenchPlan): Experiment<AtRateResult> {
  // At a low rate, long enough for the calls of a p99.
  const { least, most } = profile.atRateMs;
  const ms = Math.min(most, Math.max(least, (1_000 * MIN_BLOCKS * CALLS_FOR_P99) / rate));
  const request = { rates: [rate], ms, warmUpMs: WARM_UP_MS, blocks: MIN_BLOCKS, asService: true };
  const inAll = (one: OpenLoopRequest) => Array.from({ length: processes }, () => one);
  let baseline: LoadResult | undefined;
  const possible = rate > 0 && rate <= HIGHEST_RATE;
  const concerned = records.filter(
    ({ benchCase: one }) => possible && (one.kind === 'strategy' || one.usual),
  );
  const synchronous = ({ benchCase: one }: CaseRecord) => one.kind === 'strategy' && one.guarantees.sync;
  const loops = 1 + concerned.filter(synchronous).length / Math.max(1, concerned.length);
  const stepMs = { work: 2 * PROCESS_MS * loops, fixed: (WARM_UP_MS + ms) * loops };
  const about = { title: 'your rate', timeoutMs: profile.timeoutMs.trial, stepMs };
  return oncePerCase(about, concerned, async (record, context) => {
    const measured = async (job: typeof emptyLoopJob, one: OpenLoopRequest, name?: string) =>
      (await runWorkers(job, inAll(one), name, context)).flat();
    baseline ??= loadOf(await measured(emptyLoopJob, request), rate);
    const found = await measured(openLoopJob, request, record.name);
    const result = { rate, processes, ms, ...loadOf(found, rate), ...refillsOf(found), baseline };
    if (!synchronous(record)) return result;
    const sync = await measured(openLoopJob, { ...request, syncFirst: true }, record.name);
    return { ...result, nextSync: loadOf(sync, rate) };
  });
}

function refillsOf(processes: readonly OpenLoopMeasure[]): Pick<AtRateResult, 'refills'> {
  const counted = processes.flatMap(({ refills }) => refills ?? []);
  return counted.length === 0 ? {} : { refills: counted.reduce((sum, one) => sum + one, 0) };
}

/** Of all processes: each figure is that of the process that was worst there. */
export function loadOf(processes: readonly OpenLoopMeasure[], rate: number): LoadResult {
  const byProcess = processes.map((one) => merged(one.blocks));
  const achieved = Math.min(...processes.map((one) => one.achieved));
  const sum = sumOf(processes);
  return {
    ...sum,
    achieved,
    latency: PERCENTILES.map((percent) => worst(byProcess, percent)),
    errors: processes.reduce((errors, one) => errors + one.errors, 0),
    overloaded: sum.overloaded || achieved < KEPT_UP * rate,
  };
}

/** The greatest among the processes; `null` where one of them made too few calls. */
function worst(byProcess: readonly Latencies[], percent: number): number | null {
  const leastCalls = percent > 99 ? CALLS_FOR_P999 : percent === 99 ? MIN_BLOCKS * CALLS_FOR_P99 : 1;
  const values = byProcess.map((one) => percentile(one, percent, leastCalls));
  return values.includes(null) ? null : Math.max(...(values as number[]));
}
