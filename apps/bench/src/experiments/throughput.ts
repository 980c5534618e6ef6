import { median, quantile } from 'simple-statistics';
import { closedLoopJob, type LoopMeasure } from '../measure/loops.js';
import { estimate, pairedRatio } from '../measure/statistics.js';
import { type SyncTrial, syncJob } from '../measure/sync-bursts.js';
import type { LoopResult, Ratio, SyncResult } from '../schema/figures.js';
import { LOOP_SETTINGS, PROCESS_MS } from './profile.js';
import { type BenchPlan, type CaseRecord, type Experiment, Trials } from './steps.js';

const NS_PER_S = 1e9;

/** Of a closed loop, on average. */
const LOOP_WARM_UP_MS = 100;

/** Bursts of `nextSync`, for all cases that have it. */
export function bursts({ profile, records }: BenchPlan): Experiment<SyncResult> {
  const { syncBlocks, sync, timeoutMs } = profile;
  const trials = new Trials<SyncTrial>();
  const concerned = records.filter(({ benchCase }) =>
    benchCase.kind === 'strategy' ? benchCase.guarantees.sync : benchCase.backends.length === 0,
  );
  const about = {
    title: 'in-memory throughput',
    timeoutMs: timeoutMs.trial,
    stepMs: { work: PROCESS_MS, fixed: 4 * sync.maxMs },
    blocks: syncBlocks,
  };
  return {
    phase: trials.phase(about, concerned, syncJob, () => sync),
    resultOf(record, controls) {
      const finished = trials.finished(record);
      if (finished.length === 0) return undefined;
      const rateOf = ({ raw }: SyncTrial) => NS_PER_S / median([...raw]);
      return {
        idsPerSecond: estimate(finished.map(rateOf)),
        sustained: estimate(finished.map(({ sustained }) => sustained)),
        ns: estimate(finished.map(({ raw }) => median([...raw]))),
        nsAsMapKey: estimate(finished.map(({ asMapKey }) => median([...asMapKey]))),
        p99: quantile(
          finished.flatMap(({ raw }) => raw),
          0.99,
        ),
        ratios: ratiosTo(controls, record, (one) =>
          trials.of(one).map((trial) => (trial ? rateOf(trial) : undefined)),
        ),
      };
    },
  };
}

export interface ClosedLoops extends Experiment<readonly LoopResult[]> {
  /** Calls of `next` per second at the best concurrency: the median over the blocks. */
  capacityOf(record: CaseRecord): number | undefined;
}

/** Closed loops, for all cases with a backend. */
export function closedLoops({ profile, records }: BenchPlan, settings = LOOP_SETTINGS): ClosedLoops {
  const { loopBlocks, loopMs, timeoutMs } = profile;
  const trials = new Trials<readonly LoopMeasure[]>();
  const concerned = records.filter(({ benchCase }) => benchCase.backends.length > 0);
  const request = { settings, measureMs: loopMs };
  const resultOf = (record: CaseRecord, controls: readonly CaseRecord[]) =>
    settings.flatMap((setting, index) => {
      const figures = loopFigures(trials, record, index, controls);
      return figures === undefined ? [] : [{ ...setting, ...figures }];
    });
  const about = {
    title: 'closed loops',
    timeoutMs: timeoutMs.trial,
    stepMs: { work: PROCESS_MS, fixed: settings.length * (LOOP_WARM_UP_MS + loopMs) },
    blocks: loopBlocks,
  };
  return {
    phase: trials.phase(about, concerned, closedLoopJob, () => request),
    resultOf,
    capacityOf(record) {
      const rates = resultOf(record, []).flatMap(({ batch, idsPerSecond }) =>
        batch > 1 ? [] : [idsPerSecond.median],
      );
      return rates.length === 0 ? undefined : Math.max(...rates);
    },
  };
}

/** Of the loop at `index` in each trial; `undefined` if none was finished. */
function loopFigures(
  trials: Trials<readonly LoopMeasure[]>,
  record: CaseRecord,
  index: number,
  controls: readonly CaseRecord[],
): Omit<LoopResult, 'concurrency' | 'batch'> | undefined {
  const finished = trials.finished(record).flatMap((measures) => measures[index] ?? []);
  if (finished.length === 0) return undefined;
  return {
    idsPerSecond: estimate(finished.map(({ idsPerSecond }) => idsPerSecond)),
    p50: median(finished.map(({ p50 }) => p50)),
    p99: median(finished.map(({ p99 }) => p99)),
    firstUses: finished[0]?.firstUses && median(finished.map((one) => one.firstUses ?? 0)),
    ratios: ratiosTo(controls, record, (one) =>
      trials.of(one).map((measures) => measures?.[index]?.idsPerSecond),
    ),
  };
}

function ratiosTo(
  controls: readonly CaseRecord[],
  record: CaseRecord,
  ratesOf: (record: CaseRecord) => (number | undefined)[],
): Ratio[] {
  return controls.flatMap((control) => {
    if (control.status === 'invalid' || control.status === 'failed') return [];
    return pairedRatio(control.name, ratesOf(record), ratesOf(control)) ?? [];
  });
}
