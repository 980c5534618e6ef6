import { rotated } from '../measure/rotated.js';
import { LOOP_SETTINGS } from '../profile.js';
import { runWorkers } from '../worker/run-workers.js';
import type { BenchPlan, CaseStep, Phase } from './bench-run.js';
import type { CaseRecord } from './case-record.js';

/** What one process for a case costs besides its measuring, in seconds: a guess for the progress line. */
const PROCESS_S = 0.4;

/** Steps block by block, every case once per block, in an order that rotates. */
function blocksOf(
  records: readonly CaseRecord[],
  blocks: number,
  stepOf: (record: CaseRecord, block: number) => CaseStep,
): CaseStep[] {
  return Array.from({ length: blocks }, (_, block) =>
    rotated(records, block).map((record) => stepOf(record, block)),
  ).flat();
}

/** Bursts of `nextSync`, of all cases that have it. */
export function syncPhase({ profile, records }: BenchPlan): Phase {
  const { syncBlocks, sync, timeoutMs } = profile;
  const concerned = records.filter(({ benchCase }) =>
    benchCase.kind === 'strategy' ? benchCase.guarantees.sync : benchCase.backends.length === 0,
  );
  const steps = blocksOf(concerned, syncBlocks, (record, block) => ({
    phase: `in-memory throughput ${block + 1}/${syncBlocks}`,
    name: record.name,
    seconds: PROCESS_S + (3 * sync.maxMs) / 1_000,
    record,
    async run(context) {
      record.sync[block] = null;
      const [trial] = await runWorkers('sync', [sync], record.name, context);
      record.sync[block] = trial ?? null;
    },
  }));
  return { title: 'in-memory throughput', timeoutMs: timeoutMs.trial, steps };
}

/** Closed loops, of all cases with a backend. */
export function loopPhase({ profile, records }: BenchPlan): Phase {
  const { loopBlocks, loopMs, timeoutMs } = profile;
  const concerned = records.filter(({ benchCase }) => benchCase.backends.length > 0);
  const request = { settings: LOOP_SETTINGS, measureMs: loopMs };
  const steps = blocksOf(concerned, loopBlocks, (record, block) => ({
    phase: `closed loops ${block + 1}/${loopBlocks}`,
    name: record.name,
    seconds: PROCESS_S + (LOOP_SETTINGS.length * (loopMs + 150)) / 1_000,
    record,
    async run(context) {
      record.loops[block] = null;
      const [trial] = await runWorkers('loop', [request], record.name, context);
      record.loops[block] = trial ?? null;
    },
  }));
  return { title: 'closed loops', timeoutMs: timeoutMs.trial, steps };
}
