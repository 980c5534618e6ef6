import { LOOP_SETTINGS } from '../profile.js';
import { runWorkers } from '../worker/run-workers.js';
import type { BenchPlan, Phase } from './bench-run.js';
import { blocksOf, PROCESS_S } from './blocks.js';

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
