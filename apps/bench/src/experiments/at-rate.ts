import { median } from 'simple-statistics';
import { emptyLoopJob, type OpenLoopMeasure, openLoopJob, PERCENTILES } from '../measure/loops.js';
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

/** Calls of a block without which its p99 would mean nothing. */
const CALLS_FOR_P99 = 100;
const LONGEST_MS = 10_000;

/** All strategies, and what people already use, at the rate of the plan, if it has one. */
export function atRate({ profile, processes, records, rate = 0 }: BenchPlan): Experiment<AtRateResult> {
  const results = new Map<CaseRecord, AtRateResult>();
  // At a low rate, long enough for the calls of a p99.
  const ms = Math.min(LONGEST_MS, Math.max(profile.atRateMs, (1_000 * MIN_BLOCKS * CALLS_FOR_P99) / rate));
  const request = { rates: new Array<number>(MIN_BLOCKS).fill(rate), ms: ms / MIN_BLOCKS, asService: true };
  const requests = Array.from({ length: processes }, () => request);
  let floor: LoadResult | undefined;
  const floorOf = async (context: WorkerContext) =>
    loadOf(await runWorkers(emptyLoopJob, requests, undefined, context), rate);
  const concerned = rate === 0 || rate > HIGHEST_RATE ? [] : records;
  const steps = concerned.flatMap((record, place): CaseStep[] => {
    const { benchCase } = record;
    if (benchCase.kind === 'control' && benchCase.alternative === undefined) return [];
    const run: CaseStep['run'] = async (context) => {
      floor ??= await floorOf(context);
      const load = loadOf(await runWorkers(openLoopJob, requests, record.name, context), rate);
      results.set(record, { rate, processes, ...load, floor });
    };
    const once = PROCESS_S * processes + (1.1 * ms) / 1_000;
    return [{ phase: 'your rate', name: record.name, seconds: place === 0 ? 2 * once : once, record, run }];
  });
  return {
    phase: { title: 'your rate', timeoutMs: profile.timeoutMs.trial, steps },
    resultOf: (record) => results.get(record),
  };
}

/** Of the blocks of all processes. */
function loadOf(byProcess: readonly (readonly OpenLoopMeasure[])[], rate: number): LoadResult {
  const all = byProcess.flat();
  const blocks = Array.from({ length: MIN_BLOCKS }, (_, block) =>
    byProcess.flatMap((measures) => measures[block] ?? []),
  );
  const slowest = blocks.map((block) => Math.min(...block.map(({ achieved }) => achieved)));
  const piledUp = blocks.filter((block) => block.some(({ overloaded }) => overloaded)).length;
  const achieved = median(slowest);
  return {
    achieved,
    latency: PERCENTILES.map((percentile, place) =>
      medianOf(blocks.map((block) => worst(block, percentile, place))),
    ),
    max: Math.max(...all.map(({ max }) => max)),
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    errors: all.reduce((sum, { errors }) => sum + errors, 0),
    overloaded: piledUp > MIN_BLOCKS / 2 || achieved < KEPT_UP * rate,
  };
}

/** The greatest among the processes; `null` where one of them made too few calls. */
function worst(block: readonly OpenLoopMeasure[], percentile: number, place: number): number | null {
  const values = block.map(({ latency, calls }) =>
    percentile >= 99 && calls < CALLS_FOR_P99 ? null : (latency[place] ?? null),
  );
  return values.includes(null) ? null : Math.max(...(values as number[]));
}

function medianOf(values: readonly (number | null)[]): number | null {
  return values.includes(null) ? null : median(values as number[]);
}
