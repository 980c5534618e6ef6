import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StrategyCase } from '../../cases/case.js';
import type { UniquenessResult } from '../../schema/case.js';
import { runWorkers, type WorkerContext, WorkerError } from '../../worker/workers.js';
import { PROCESS_MS } from '../profile.js';
import { type BenchPlan, type Experiment, oncePerCase, strategiesOf } from '../steps.js';
import { checkJob } from './find-duplicates.js';
import { issueJob } from './issue-ids.js';

/** To issue, write, sort and compare an id on idle cores, in milliseconds. */
const ID_MS = 0.0008;

/** Many ids in many processes at once, and an exact search for duplicates. */
export function uniqueness({ profile, processes, records }: BenchPlan): Experiment<UniquenessResult> {
  const strategies = strategiesOf(records);
  const idsOf = ({ guarantees }: StrategyCase) => profile.uniqueIds[guarantees.sync ? 'memory' : 'remote'];
  const all = strategies.reduce((sum, { benchCase }) => sum + idsOf(benchCase), 0);
  const stepMs = { work: 2 * PROCESS_MS + (ID_MS * all) / strategies.length, fixed: 0 };
  const about = { title: 'uniqueness', timeoutMs: profile.timeoutMs.uniqueness, stepMs };
  return oncePerCase(about, strategies, ({ name, benchCase }, context) => {
    // Ids that are unique within a process only are checked in one process.
    const among = benchCase.guarantees.unique === 'cluster' ? processes : 1;
    return checkUniqueness(name, idsOf(benchCase), among, context);
  });
}

async function checkUniqueness(
  name: string,
  ids: number,
  processes: number,
  context: WorkerContext,
): Promise<UniquenessResult> {
  const start = performance.now();
  const count = Math.ceil(ids / processes);
  const paths = Array.from({ length: processes }, (_, i) => join(context.scratchDir, `ids-${i}`));
  const requests = paths.map((path, process) => ({ count, path, process }));
  try {
    const retained = await runWorkers(issueJob, requests, name, context);
    const check = { paths, folder: context.scratchDir };
    const [checked] = await runWorkers(checkJob, [check], undefined, context);
    const { records = 0, duplicates = 0, examples = [] } = checked ?? {};
    if (records !== count * processes) {
      throw new WorkerError(`${count * processes} ids were issued, but ${records} were found for checking`);
    }
    return {
      ids: records,
      processes,
      duplicates,
      examples,
      retainedBytesPerId: leakPerId(retained, count),
      seconds: (performance.now() - start) / 1_000,
    };
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

/** Without a leak, heaps differ by up to 0.2 MB. */
const LEAST_LEAK_BYTES = 500_000;
const LEAST_LEAK_BYTES_PER_ID = 0.4;

/** Bytes per id that the worst process still holds, in three digits; 0 if that is too little to be a leak. */
export function leakPerId(retained: readonly number[], count: number): number {
  const worst = Math.max(...retained);
  const perId = worst / count;
  return worst < LEAST_LEAK_BYTES || perId < LEAST_LEAK_BYTES_PER_ID ? 0 : Number(perId.toPrecision(3));
}
