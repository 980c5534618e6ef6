import { randomInt } from 'node:crypto';
import type { FaultResult } from '../faults/fault.js';
import { faults } from '../faults/faults.js';
import { tryFault } from '../faults/try-fault.js';
import type { BenchResult } from '../result.js';
import type { CaseStep } from './bench-run.js';
import type { BenchOptions } from './run-bench.js';
import { selectCases } from './select-cases.js';
import { runSession } from './session.js';
import { WorkRecord } from './work-record.js';

/** Servers and processes have to be started: a guess for the progress line. */
const SETUP_S = 3;

/**
 * Lets things go wrong, one after the other, for the strategies named in `only` (all without it). Every fault
 * has servers of its own: nothing is done to those that REDIS_URL and DATABASE_URL name. Rejects with a
 * `UsageError` for an unknown name.
 */
export async function runFaults(options: Omit<BenchOptions, 'needs'>): Promise<BenchResult> {
  const { list, only, profile, processes, view, signal } = options;
  const results: FaultResult[] = [];
  const strategies = selectCases(list.cases, only).filter((one) => one.kind === 'strategy');
  const records: WorkRecord[] = [];
  const steps = strategies.flatMap((strategy) =>
    faults
      .filter((fault) => fault.concerns(strategy))
      .map((fault): CaseStep => {
        // Each has servers of its own, so the session need not start any; and trouble with one fault is
        // not trouble with the next.
        const record = new WorkRecord({ name: strategy.name, backends: [] });
        records.push(record);
        return {
          phase: fault.name,
          name: strategy.name,
          seconds: SETUP_S + profile.soakMs[fault.outage ? 'outage' : 'brief'] / 1_000,
          record,
          async run(context) {
            results.push(await tryFault(fault, strategy, profile.soakMs, context));
          },
        };
      }),
  );
  const phase = { title: 'faults', timeoutMs: profile.timeoutMs.trial, steps };
  const facts = await runSession({ casesUrl: list.url, records, phases: [phase], view, signal });
  return {
    schemaVersion: 1,
    ...facts,
    profile,
    processes,
    seed: randomInt(2 ** 32),
    cases: [],
    advice: [],
    faults: results,
    problems: [
      ...records.flatMap(({ name, status, reason }) =>
        status === 'failed' || status === 'invalid' ? [`${name}: ${reason}`] : [],
      ),
      ...results.flatMap(problemsOf),
    ],
  };
}

function problemsOf({ strategy, fault, duplicates, ids, example }: FaultResult): string[] {
  if (duplicates === 0) return [];
  return [`${strategy}: ${fault}: ${duplicates} duplicates in ${ids} ids, such as ${example}`];
}
