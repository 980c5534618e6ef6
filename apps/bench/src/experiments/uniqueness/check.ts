import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { StrategyCase } from '../../cases/case.js';
import type { UniquenessResult } from '../../schema/case.js';
import { runWorkers, type WorkerContext, WorkerError } from '../../worker/workers.js';
import type { BenchPlan, CaseRecord, CaseStep, Experiment } from '../steps.js';
import { checkJob, planPartitions } from './find-duplicates.js';
import { issueJob } from './issue-ids.js';

/** Seconds per id, a guess for the progress line. */
const SECONDS_PER_ID = { memory: 0.8e-6, remote: 6e-6 };
const CHECKERS = Math.min(4, availableParallelism());

/** Many ids in many processes at once, and an exact search for duplicates. */
export function uniqueness({ profile, processes, records }: BenchPlan): Experiment<UniquenessResult> {
  const results = new Map<CaseRecord, UniquenessResult>();
  const steps = records.flatMap((record): CaseStep[] => {
    const { benchCase } = record;
    if (benchCase.kind !== 'strategy') return [];
    const kind = benchCase.guarantees.sync ? 'memory' : 'remote';
    const ids = profile.uniqueIds[kind];
    // Ids that are unique within a process only are checked in one process.
    const issuers = benchCase.guarantees.unique === 'cluster' ? processes : 1;
    return [
      {
        phase: 'uniqueness',
        name: `${benchCase.name}, ${ids.toLocaleString('en')} ids`,
        seconds: 1 + ids * SECONDS_PER_ID[kind],
        record,
        async run(context) {
          results.set(record, await checkUniqueness(benchCase, ids, issuers, context));
        },
      },
    ];
  });
  return {
    phase: { title: 'uniqueness', timeoutMs: profile.timeoutMs.uniqueness, steps },
    resultOf: (record) => results.get(record),
  };
}

async function checkUniqueness(
  { name, format }: StrategyCase,
  ids: number,
  processes: number,
  context: WorkerContext,
): Promise<UniquenessResult> {
  const start = performance.now();
  const { partitions, bufferWords } = planPartitions(ids, format);
  const paths = Array.from({ length: processes }, (_, index) => join(context.scratchDir, `ids-${index}`));
  const count = Math.ceil(ids / processes);
  try {
    const issued = await runWorkers(
      issueJob,
      paths.map((path) => ({ count, path, partitions, bufferWords })),
      name,
      context,
    );
    const files = issued.map(({ file }) => file);
    const checkers = Math.min(CHECKERS, partitions);
    const checked = await runWorkers(
      checkJob,
      Array.from({ length: checkers }, (_, checker) => ({
        files,
        idType: format.idType,
        partitions: Array.from({ length: partitions }, (_, p) => p).filter((p) => p % checkers === checker),
      })),
      undefined,
      context,
    );
    const total = checked.reduce((sum, { records }) => sum + records, 0);
    if (total !== count * processes) {
      throw new WorkerError(`${count * processes} ids were issued, but ${total} were found for checking`);
    }
    return {
      ids: total,
      processes,
      duplicates: checked.reduce((sum, { duplicates }) => sum + duplicates, 0),
      examples: checked.flatMap(({ examples }) => examples).slice(0, 10),
      retainedBytesPerId: leakPerId(
        issued.map(({ retainedBytes }) => retainedBytes),
        count,
      ),
      seconds: (performance.now() - start) / 1_000,
    };
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

/** Without a leak, heaps differ by up to 0.2 MB, and the list of written chunks takes less per id. */
const LEAST_LEAK_BYTES = 500_000;
const LEAST_LEAK_BYTES_PER_ID = 0.4;

/** Bytes per id that the worst process still holds, in three digits; 0 if that is too little to be a leak. */
export function leakPerId(retained: readonly number[], count: number): number {
  const worst = Math.max(...retained);
  const perId = worst / count;
  return worst < LEAST_LEAK_BYTES || perId < LEAST_LEAK_BYTES_PER_ID ? 0 : Number(perId.toPrecision(3));
}
