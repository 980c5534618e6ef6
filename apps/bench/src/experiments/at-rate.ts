import { openLoopJob } from '../measure/loops.js';
import { runWorkers } from '../worker/workers.js';
import { type BenchPlan, type CaseRecord, type CaseStep, type Experiment, PROCESS_S } from './steps.js';

/** Calls at fixed times, at the rate that a service needs, in several processes at once. */
export interface AtRateResult {
  /** Ids per second in each process, as needed. */
  readonly rate: number;
  readonly processes: number;
  /** Ids per second that the slowest process got. */
  readonly achieved: number;
  /**
   * Nanoseconds from the intended start, at the percentiles 50, 75, 90, 99 and 99.9, each of the process that
   * was worst there; `null` if there were too few calls.
   */
  readonly latency: readonly (number | null)[];
  readonly max: number;
  /** In all processes together. */
  readonly calls: number;
  /** Calls that failed. */
  readonly errors: number;
  /** Calls piled up, or came later and later. */
  readonly overloaded: boolean;
}

/**
 * The highest rate that open loops can keep: each call costs a reading of the clock and an entry in a
 * histogram. Above it, bursts show whether a rate can be met.
 */
const HIGHEST_RATE = 1_000_000;

/** A process that gets fewer ids than this share of the rate is overloaded. */
const KEPT_UP = 0.95;

/** All strategies at the rate of the plan, if it has one. */
export function atRate({ profile, processes, records, rate }: BenchPlan): Experiment<AtRateResult> {
  const results = new Map<CaseRecord, AtRateResult>();
  const ms = profile.atRateMs;
  const concerned = rate === undefined || rate > HIGHEST_RATE ? [] : records;
  const steps = concerned.flatMap((record): CaseStep[] => {
    if (rate === undefined || record.benchCase.kind !== 'strategy') return [];
    const run: CaseStep['run'] = async (context) => {
      const requests = Array.from({ length: processes }, () => ({ rates: [rate], ms, asService: true }));
      const answers = (await runWorkers(openLoopJob, requests, record.name, context)).flat();
      const achieved = Math.min(...answers.map((answer) => answer.achieved));
      results.set(record, {
        rate,
        processes,
        achieved,
        latency: worst(answers.map(({ latency }) => latency)),
        max: Math.max(...answers.map(({ max }) => max)),
        calls: answers.reduce((sum, { calls }) => sum + calls, 0),
        errors: answers.reduce((sum, { errors }) => sum + errors, 0),
        overloaded: answers.some(({ overloaded }) => overloaded) || achieved < KEPT_UP * rate,
      });
    };
    const seconds = PROCESS_S * processes + (1.5 * ms) / 1_000;
    return [{ phase: 'your rate', name: record.name, seconds, record, run }];
  });
  return {
    phase: { title: 'your rate', timeoutMs: profile.timeoutMs.trial, steps },
    resultOf: (record) => results.get(record),
  };
}

/** The greatest of each place; `null` where one of them is. */
function worst(latencies: readonly (readonly (number | null)[])[]): (number | null)[] {
  const [first = []] = latencies;
  return first.map((_, place) => {
    const values = latencies.map((latency) => latency[place] ?? null);
    return values.includes(null) ? null : Math.max(...(values as number[]));
  });
}
