import { median } from 'simple-statistics';
import { merged, p99OfWorst, percentilesOf } from '../measure/latencies.js';
import { type OpenLoopMeasure, openLoopJob } from '../measure/open-loop.js';
import type { OpenLoopResult } from '../schema/figures.js';
import { LOAD_SHARES } from './profile.js';
import { type BenchPlan, blocksOf, type Experiment, PROCESS_S, Trials } from './steps.js';
import type { ClosedLoops } from './throughput.js';

/** Open loops at shares of the capacity that the closed loops found. */
export function openLoops(
  { profile, records }: BenchPlan,
  capacityOf: ClosedLoops['capacityOf'],
): Experiment<readonly OpenLoopResult[]> {
  const { openLoop, timeoutMs } = profile;
  const trials = new Trials<readonly OpenLoopMeasure[]>();
  const concerned = records.filter(({ benchCase }) => benchCase.backends.length > 0);
  const steps = blocksOf(concerned, openLoop.blocks, (record, block) => ({
    phase: `open loops ${block + 1}/${openLoop.blocks}`,
    name: record.name,
    seconds: PROCESS_S + ((LOAD_SHARES.length + 0.5) * openLoop.ms) / 1_000,
    record,
    async run(context) {
      const capacity = capacityOf(record);
      if (capacity === undefined) return;
      const rates = LOAD_SHARES.map((share) => share * capacity);
      await trials.run(openLoopJob, { rates, ms: openLoop.ms }, [record, block], context);
    },
  }));
  return {
    phase: { title: 'open loops', timeoutMs: timeoutMs.trial, steps },
    resultOf: (record) =>
      LOAD_SHARES.flatMap((share, index) => {
        const measures = trials.finished(record).flatMap((block) => block[index] ?? []);
        if (measures.length === 0) return [];
        const blocks = measures.flatMap((measure) => measure.blocks);
        const all = merged(blocks);
        return {
          share,
          rate: median(measures.map(({ rate }) => rate)),
          latency: percentilesOf(all),
          p99OfWorstBlock: p99OfWorst(blocks),
          max: all.max,
          calls: measures.reduce((sum, { calls }) => sum + calls, 0),
          overloaded: measures.some(({ overloaded }) => overloaded),
        };
      }),
  };
}
