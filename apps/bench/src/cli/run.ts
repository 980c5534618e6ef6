import { basename, dirname } from 'node:path';
import { loadConfig } from '@ids/config';
import { isIdError } from '@ids/core';
import { selectCases, UsageError } from '../cases/select.js';
import { runFaults } from '../experiments/faults/run.js';
import { runIndex } from '../experiments/index/run.js';
import { type RunOptions, runSession, type SessionFacts } from '../experiments/session.js';
import { WorkRecord } from '../experiments/steps.js';
import { advise } from '../judge/advise.js';
import { caseExperiments, findProblems } from '../result/summarise.js';
import type { BenchResult, RunResult, ServiceNeeds } from '../result/types.js';

/** What one command found, with the facts of its session. */
export type RunFindings = SessionFacts & Partial<RunResult> & Pick<RunResult, 'problems'>;

/** Measures, and cleans up. Rejects with a `UsageError` for an unknown name before anything is started. */
export async function run(
  command: 'run' | 'faults' | 'index',
  needs: readonly ServiceNeeds[],
  options: RunOptions,
): Promise<BenchResult> {
  if (command === 'faults') return asResult(options, await runFaults(options));
  if (command === 'index') return asResult(options, await runIndex(options));
  return asResult(options, await runCases(needs, options));
}

export function asResult(
  { profile, processes, seed }: Pick<RunOptions, 'profile' | 'processes' | 'seed'>,
  findings: RunFindings,
): BenchResult {
  return { schemaVersion: 1, profile, processes, seed, cases: [], advice: [], ...findings };
}

async function runCases(needs: readonly ServiceNeeds[], options: RunOptions): Promise<RunFindings> {
  const { list, only, profile, processes, seed, view, signal } = options;
  const records = selectCases(list.cases, only).map((benchCase) => new WorkRecord(benchCase));
  const experiments = caseExperiments({ profile, processes, records });
  const { phases } = experiments;
  const facts = await runSession({ casesUrl: list.url, records, phases, view, signal });
  const cases = experiments.results(seed);
  return { ...facts, cases, advice: needs.map((one) => advise(one, cases)), problems: findProblems(cases) };
}

/**
 * The needs that a config file and flags state: one set per generator of the file, where flags win; without a
 * file, one set that may be empty.
 */
export async function gatherNeeds({
  needs,
  config,
}: {
  readonly needs: ServiceNeeds;
  readonly config?: string | undefined;
}): Promise<ServiceNeeds[]> {
  if (config === undefined) return [needs];
  if (!basename(config).startsWith('ids.config.')) {
    throw new UsageError(`--config must name a file ids.config.*, got "${config}"`);
  }
  try {
    const { generators } = await loadConfig({ cwd: dirname(config) });
    return Object.entries(generators).map(([name, { require = {} }]) => {
      const { discloses, ...others } = require;
      // An empty list means the same as `--public`, which encoders can provide; any other list is up to the
      // strategy.
      const hidden = discloses?.length === 0 ? { public: true } : { ...(discloses && { discloses }) };
      return { name, ...others, ...hidden, ...needs };
    });
  } catch (error) {
    if (!isIdError(error)) throw error;
    throw new UsageError(`--config: ${error.message}`);
  }
}
