import { median, quantile } from 'simple-statistics';
import type { StrategyCase } from '../bench-case.js';
import type { LoopMeasure } from '../measure/closed-loop.js';
import { type OpenLoopMeasure, PERCENTILES } from '../measure/open-loop.js';
import { estimate, pairedRatio, type Ratio } from '../measure/statistics.js';
import type { SyncTrial } from '../measure/sync-bursts.js';
import { LOAD_SHARES, LOOP_SETTINGS } from '../profile.js';
import type { CaseResult, LoopResult, OpenLoopResult, PlainGuarantees, SyncResult } from '../result.js';
import type { CaseRecord } from './work-record.js';

const NS_PER_S = 1e9;

/** What the raw samples of all cases say about each. */
export function summarise(records: readonly CaseRecord[], seed: number): CaseResult[] {
  const results = records.map((record) => summariseCase(record, records, seed));
  return [
    ...results.filter(({ kind }) => kind === 'strategy'),
    ...results.filter(({ kind }) => kind === 'control'),
  ];
}

function summariseCase(record: CaseRecord, records: readonly CaseRecord[], seed: number): CaseResult {
  const { benchCase, status, reason, uniqueness, order, anatomy } = record;
  const { name, kind, format, maxIdsPerSecond } = benchCase;
  const comparedWith = benchCase.kind === 'strategy' ? benchCase.comparedWith : [];
  const controls = comparedWith.flatMap((control) => records.filter((other) => other.name === control));
  // Whoever gives wrong ids has no speed.
  const counts = status !== 'invalid';
  const sync = counts ? syncResult(record, controls, seed) : undefined;
  const loops = counts ? loopResults(record, controls, seed) : [];
  const openLoops = counts ? openLoopResults(record.openLoops) : [];
  return {
    name,
    kind,
    status,
    comparedWith,
    idType: format.idType,
    maxLength: format.text.maxLength,
    ...(reason !== undefined && { reason }),
    ...(maxIdsPerSecond !== undefined && { maxIdsPerSecond }),
    ...(benchCase.kind === 'strategy' && { guarantees: plain(benchCase) }),
    ...(sync && { sync }),
    ...(loops.length > 0 && { loops }),
    ...(openLoops.length > 0 && { openLoops }),
    ...(uniqueness && { uniqueness }),
    ...(order && { order }),
    ...(anatomy && { anatomy }),
  };
}

function plain({ guarantees }: StrategyCase): PlainGuarantees {
  const { text, ...rest } = guarantees;
  return { ...rest, text: { ...text, pattern: text.pattern.source } };
}

function syncResult(
  record: CaseRecord,
  controls: readonly CaseRecord[],
  seed: number,
): SyncResult | undefined {
  const trials = present(record.sync);
  if (trials.length === 0) return undefined;
  const ratios = (measure: 'raw' | 'asMapKey') =>
    ratiosTo(controls, seed, record, ({ sync }) => sync.map((trial) => rate(trial, measure)));
  const medians = (measure: 'raw' | 'asMapKey') => trials.map((trial) => median([...trial[measure]]));
  const all = trials.flatMap(({ raw }) => raw);
  return {
    idsPerSecond: estimate(
      medians('raw').map((ns) => NS_PER_S / ns),
      seed,
    ),
    ns: estimate(medians('raw'), seed),
    nsAsMapKey: estimate(medians('asMapKey'), seed),
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
    ratios: ratios('raw'),
    ratiosAsMapKey: ratios('asMapKey'),
    trials: record.sync,
  };
}

function rate(trial: SyncTrial | null | undefined, measure: 'raw' | 'asMapKey'): number | undefined {
  return trial ? NS_PER_S / median([...trial[measure]]) : undefined;
}

function loopResults(record: CaseRecord, controls: readonly CaseRecord[], seed: number): LoopResult[] {
  return LOOP_SETTINGS.flatMap((setting, index) => {
    const measures = ({ loops }: CaseRecord): (LoopMeasure | null)[] =>
      loops.map((trial) => trial?.measures[index] ?? null);
    const trials = measures(record);
    const reached = present(trials);
    if (reached.length === 0) return [];
    return [
      {
        ...setting,
        idsPerSecond: estimate(
          reached.map(({ idsPerSecond }) => idsPerSecond),
          seed,
        ),
        p50: median(reached.map(({ p50 }) => p50)),
        p99: median(reached.map(({ p99 }) => p99)),
        ratios: ratiosTo(controls, seed, record, (other) =>
          measures(other).map((measure) => measure?.idsPerSecond),
        ),
        trials,
      },
    ];
  });
}

function ratiosTo(
  controls: readonly CaseRecord[],
  seed: number,
  record: CaseRecord,
  ratesOf: (record: CaseRecord) => (number | undefined)[],
): Ratio[] {
  return controls.flatMap((control) => {
    if (control.status === 'invalid') return [];
    return pairedRatio(control.name, ratesOf(record), ratesOf(control), seed) ?? [];
  });
}

function present<T>(trials: readonly (T | null)[]): T[] {
  return trials.filter((trial): trial is T => trial !== null && trial !== undefined);
}

/** One result per share of the capacity, over the blocks that were reached. */
function openLoopResults(blocks: readonly (readonly OpenLoopMeasure[] | null)[]): OpenLoopResult[] {
  return LOAD_SHARES.flatMap((share, index) => {
    const measures = blocks.flatMap((block) => block?.[index] ?? []);
    if (measures.length === 0) return [];
    return [
      {
        share,
        rate: median(measures.map(({ rate }) => rate)),
        latency: PERCENTILES.map((_, place) => {
          const values = measures.flatMap(({ latency }) => latency[place] ?? []);
          return values.length === 0 ? null : median(values);
        }),
        max: Math.max(...measures.map(({ max }) => max)),
        calls: measures.reduce((sum, { calls }) => sum + calls, 0),
        overloaded: measures.some(({ overloaded }) => overloaded),
      },
    ];
  });
}
