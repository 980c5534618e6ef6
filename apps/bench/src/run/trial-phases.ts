import { median } from 'simple-statistics';
import { LOAD_SHARES, LOOP_SETTINGS } from '../profile.js';
import { runWorkers } from '../worker/run-workers.js';
import type { BenchPlan, Phase } from './bench-run.js';
import { blocksOf, PROCESS_S } from './blocks.js';
import type { CaseRecord } from './work-record.js';

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

/** Open loops at shares of the capacity that the closed loops found. */
export function openLoopPhase({ profile, records }: BenchPlan): Phase {
  const { openLoop, timeoutMs } = profile;
  const concerned = records.filter(({ benchCase }) => benchCase.backends.length > 0);
  const steps = blocksOf(concerned, openLoop.blocks, (record, block) => ({
    phase: `open loops ${block + 1}/${openLoop.blocks}`,
    name: record.name,
    seconds: PROCESS_S + ((LOAD_SHARES.length + 0.5) * openLoop.ms) / 1_000,
    record,
    async run(context) {
      const capacity = capacityOf(record);
      if (capacity === undefined) return;
      record.openLoops[block] = null;
      const rates = LOAD_SHARES.map((share) => share * capacity);
      const [measures] = await runWorkers('open', [{ rates, ms: openLoop.ms }], record.name, context);
      record.openLoops[block] = measures ?? null;
    },
  }));
  return { title: 'open loops', timeoutMs: timeoutMs.trial, steps };
}

/** Calls of `next` per second at the best concurrency: the median over the blocks. */
function capacityOf({ loops }: CaseRecord): number | undefined {
  const rates = LOOP_SETTINGS.flatMap(({ batch }, index) => {
    const values = loops.flatMap((trial) => trial?.measures[index]?.idsPerSecond ?? []);
    return batch > 1 || values.length === 0 ? [] : [median(values)];
  });
  return rates.length === 0 ? undefined : Math.max(...rates);
}
