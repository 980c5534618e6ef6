import {
  CALLS_FOR_P99,
  CALLS_FOR_P999,
  type Latencies,
  merged,
  PERCENTILES,
  p99OfWorst,
  percentile,
} from '../measure/latencies.js';
import { emptyLoopJob, type OpenLoopMeasure, openLoopJob } from '../measure/open-loop.js';
import { MIN_BLOCKS } from '../measure/statistics.js';
import type { AtRateResult, LoadResult } from '../schema/figures.js';
import { runWorkers, type WorkerContext } from '../worker/workers.js';
import { type BenchPlan, type CaseRecord, type CaseStep, type Experiment, PROCESS_S } from './steps.js';

/**
 * The highest rate that open loops can keep: each call costs a reading of the clock and an entry in a
 * histogram. Above it, bursts show whether a rate can be met.
 */
const HIGHEST_RATE = 1_000_000;

/** A process that gets fewer ids than this share of the rate is overloaded. */
const KEPT_UP = 0.95;

const LONGEST_MS = 10_000;
const WARM_UP_MS = 200;

/**
 * What people already use is never recommended, so it is asked for this share of the time. Strategies are
 * asked for long enough to show what happens every 5 s.
 */
const SHARE_IN_USE = 0.4;

/** All strategies, and what people already use, at the rate of the plan, if it has one. */
export function atRate({ profile, processes, records, rate = 0 }: BenchPlan): Experiment<AtRateResult> {
  const results = new Map<CaseRecord, AtRateResult>();
  const requestsFor = (ms: number) => {
    // At a low rate, long enough for the calls of a p99.
    const enough = Math.min(LONGEST_MS, Math.max(ms, (1_000 * MIN_BLOCKS * CALLS_FOR_P99) / rate));
    const request = { rates: [rate], ms: enough, warmUpMs: WARM_UP_MS, blocks: MIN_BLOCKS, asService: true };
    return Array.from({ length: processes }, () => request);
  };
  const requests = requestsFor(profile.atRateMs);
  const shorter = requestsFor(SHARE_IN_USE * profile.atRateMs);
  let floor: LoadResult | undefined;
  const floorOf = async (context: WorkerContext) =>
    loadOf((await runWorkers(emptyLoopJob, requests, undefined, context)).flat(), rate);
  const concerned = rate === 0 || rate > HIGHEST_RATE ? [] : records;
  const steps = concerned.flatMap((record, place): CaseStep[] => {
    const { benchCase } = record;
    if (benchCase.kind === 'control' && benchCase.alternative === undefined) return [];
    const asked = benchCase.kind === 'strategy' ? requests : shorter;
    const run: CaseStep['run'] = async (context) => {
      floor ??= await floorOf(context);
      const load = loadOf((await runWorkers(openLoopJob, asked, record.name, context)).flat(), rate);
      results.set(record, { rate, processes, ...load, floor });
    };
    const once = PROCESS_S * processes + (WARM_UP_MS + (asked[0]?.ms ?? 0)) / 1_000;
    return [{ phase: 'your rate', name: record.name, seconds: place === 0 ? 2 * once : once, record, run }];
  });
  return {
    phase: { title: 'your rate', timeoutMs: profile.timeoutMs.trial, steps },
    resultOf: (record) => results.get(record),
  };
}

/** Of all processes: each figure is that of the process that was worst there. */
export function loadOf(processes: readonly OpenLoopMeasure[], rate: number): LoadResult {
  const blocks = processes.flatMap((one) => one.blocks);
  const byProcess = processes.map((one) => merged(one.blocks));
  const achieved = Math.min(...processes.map((one) => one.achieved));
  return {
    achieved,
    latency: PERCENTILES.map((percent) => worst(byProcess, percent)),
    p99OfWorstBlock: p99OfWorst(blocks),
    max: Math.max(...blocks.map(({ max }) => max)),
    calls: processes.reduce((sum, { calls }) => sum + calls, 0),
    errors: processes.reduce((sum, { errors }) => sum + errors, 0),
    overloaded: processes.some(({ overloaded }) => overloaded) || achieved < KEPT_UP * rate,
  };
}

/** The greatest among the processes; `null` where one of them made too few calls. */
function worst(byProcess: readonly Latencies[], percent: number): number | null {
  const leastCalls = percent > 99 ? CALLS_FOR_P999 : percent === 99 ? MIN_BLOCKS * CALLS_FOR_P99 : 1;
  const values = byProcess.map((one) => percentile(one, percent, leastCalls));
  return values.includes(null) ? null : Math.max(...(values as number[]));
}
