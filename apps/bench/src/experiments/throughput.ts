import { median, quantile } from 'simple-statistics';
import { closedLoopJob } from '../measure/loops.js';
import { estimate, pairedRatio } from '../measure/statistics.js';
import { syncJob } from '../measure/sync-bursts.js';
import type { LoopMeasure, LoopResult, Ratio, SyncResult, SyncTrial } from '../schema/figures.js';
import { LOOP_SETTINGS } from './profile.js';
import {
  type Basis,
  type BenchPlan,
  blocksOf,
  type CaseRecord,
  type Experiment,
  PROCESS_S,
  Trials,
} from './steps.js';

const NS_PER_S = 1e9;

/** Bursts of `nextSync`, for all cases that have it. */
export function bursts({ profile, records }: BenchPlan): Experiment<SyncResult> {
  const { syncBlocks, sync, timeoutMs } = profile;
  const trials = new Trials<SyncTrial>();
  const concerned = records.filter(({ benchCase }) =>
    benchCase.kind === 'strategy' ? benchCase.guarantees.sync : benchCase.backends.length === 0,
  );
  const steps = blocksOf(concerned, syncBlocks, (record, block) => ({
    phase: `in-memory throughput ${block + 1}/${syncBlocks}`,
    name: record.name,
    seconds: PROCESS_S + (3 * sync.maxMs) / 1_000,
    record,
    run: (context) => trials.run(syncJob, sync, [record, block], context),
  }));
  return {
    phase: { title: 'in-memory throughput', timeoutMs: timeoutMs.trial, steps },
    resultOf(record, basis) {
      const finished = trials.finished(record);
      if (finished.length === 0) return undefined;
      const nsOf = (measure: 'raw' | 'asMapKey') => finished.map((trial) => median([...trial[measure]]));
      const ratios = (measure: 'raw' | 'asMapKey') =>
        ratiosTo(basis, record, (one) =>
          trials.of(one).map((trial) => (trial ? NS_PER_S / median([...trial[measure]]) : undefined)),
        );
      const rates = nsOf('raw').map((ns) => NS_PER_S / ns);
      const all = finished.flatMap(({ raw }) => raw);
      return {
        idsPerSecond: estimate(rates, basis.seed),
        sustained: estimate(
          finished.map(({ sustained }) => sustained),
          basis.seed,
        ),
        ns: estimate(nsOf('raw'), basis.seed),
        nsAsMapKey: estimate(nsOf('asMapKey'), basis.seed),
        p50: quantile(all, 0.5),
        p99: quantile(all, 0.99),
        ratios: ratios('raw'),
        ratiosAsMapKey: ratios('asMapKey'),
        trials: trials.of(record),
      };
    },
  };
}

export interface ClosedLoops extends Experiment<readonly LoopResult[]> {
  /** Calls of `next` per second at the best concurrency: the median over the blocks. */
  capacityOf(record: CaseRecord): number | undefined;
}

/** Closed loops, for all cases with a backend. */
export function closedLoops({ profile, records }: BenchPlan): ClosedLoops {
  const { loopBlocks, loopMs, timeoutMs } = profile;
  const trials = new Trials<readonly LoopMeasure[]>();
  const concerned = records.filter(({ benchCase }) => benchCase.backends.length > 0);
  const request = { settings: LOOP_SETTINGS, measureMs: loopMs };
  const steps = blocksOf(concerned, loopBlocks, (record, block) => ({
    phase: `closed loops ${block + 1}/${loopBlocks}`,
    name: record.name,
    seconds: PROCESS_S + (LOOP_SETTINGS.length * (loopMs + 150)) / 1_000,
    record,
    run: (context) => trials.run(closedLoopJob, request, [record, block], context),
  }));
  return {
    phase: { title: 'closed loops', timeoutMs: timeoutMs.trial, steps },
    resultOf: (record, basis) =>
      LOOP_SETTINGS.flatMap((setting, index) => {
        const finished = trials.finished(record).flatMap((measures) => measures[index] ?? []);
        if (finished.length === 0) return [];
        const measuresOf = (one: CaseRecord) => trials.of(one).map((trial) => trial?.[index] ?? null);
        const rates = finished.map(({ idsPerSecond }) => idsPerSecond);
        return {
          ...setting,
          idsPerSecond: estimate(rates, basis.seed),
          p50: median(finished.map(({ p50 }) => p50)),
          p99: median(finished.map(({ p99 }) => p99)),
          ratios: ratiosTo(basis, record, (one) => measuresOf(one).map((measure) => measure?.idsPerSecond)),
          trials: measuresOf(record),
        };
      }),
    capacityOf(record) {
      const rates = LOOP_SETTINGS.flatMap(({ batch }, index) => {
        const values = trials.finished(record).flatMap((measures) => measures[index]?.idsPerSecond ?? []);
        return batch > 1 || values.length === 0 ? [] : [median(values)];
      });
      return rates.length === 0 ? undefined : Math.max(...rates);
    },
  };
}

function ratiosTo(
  { controls, seed }: Basis,
  record: CaseRecord,
  ratesOf: (record: CaseRecord) => (number | undefined)[],
): Ratio[] {
  return controls.flatMap((control) => {
    if (control.status === 'invalid') return [];
    return pairedRatio(control.name, ratesOf(record), ratesOf(control), seed) ?? [];
  });
}
