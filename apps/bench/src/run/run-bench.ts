import { randomInt } from 'node:crypto';
import type { CaseList } from '../bench-case.js';
import { advise } from '../choose/advise.js';
import type { ServiceNeeds } from '../choose/service-needs.js';
import type { Profile } from '../profile.js';
import type { ProgressView } from '../progress/progress.js';
import type { BenchResult, CaseResult } from '../result.js';
import { orderPhase } from './order-phase.js';
import { selectCases } from './select-cases.js';
import { runSession } from './session.js';
import { summarise } from './summarise.js';
import { loopPhase, openLoopPhase, syncPhase } from './trial-phases.js';
import { uniquenessPhase } from './uniqueness-phase.js';
import { CaseRecord } from './work-record.js';

export interface BenchOptions {
  readonly list: CaseList;
  /** Names of strategies; all by default. */
  readonly only?: readonly string[];
  readonly profile: Profile;
  /** Processes that issue ids at the same time when uniqueness and order are looked at. */
  readonly processes: number;
  /** What the ids are for, one or more sets of needs. */
  readonly needs: readonly ServiceNeeds[];
  readonly view: ProgressView;
  /** Stops the run: every process and server ends, and the result holds what was measured until then. */
  readonly signal: AbortSignal;
}

/**
 * Measures everything and cleans up. Rejects with a `UsageError` for an unknown name,
 * before anything is started.
 */
export async function runBench(options: BenchOptions): Promise<BenchResult> {
  const { list, only, profile, processes, needs, view, signal } = options;
  const records = selectCases(list.cases, only).map((benchCase) => new CaseRecord(benchCase));
  const seed = randomInt(2 ** 32);
  const plan = { profile, processes, records };
  const phases = [syncPhase, loopPhase, openLoopPhase, uniquenessPhase, orderPhase].map((phase) =>
    phase(plan),
  );
  const facts = await runSession({ casesUrl: list.url, records, phases, view, signal });
  const cases = summarise(records, seed);
  return {
    schemaVersion: 1,
    ...facts,
    profile,
    processes,
    seed,
    cases,
    advice: needs.map((one) => advise(one, cases)),
    problems: findProblems(cases),
  };
}

/**
 * Everything that must not be, in words. A backend that could not be had and a run that was
 * stopped are not among it.
 */
function findProblems(cases: readonly CaseResult[]): string[] {
  return cases.flatMap(({ name, status, reason, uniqueness, order }) => {
    const problems: string[] = [];
    if (status === 'invalid') problems.push(`invalid output: ${reason}`);
    if (status === 'failed') problems.push(`${reason}`);
    if (uniqueness !== undefined && uniqueness.duplicates > 0) {
      const { duplicates, ids, examples } = uniqueness;
      const [example] = examples;
      const who = ({ process, index }: { process: number; index: number }) =>
        `process ${process} as its id ${index}`;
      problems.push(
        `${duplicates} duplicate${duplicates === 1 ? '' : 's'} in ${ids} ids` +
          (example ? `: ${example.id} was given by ${who(example.first)} and by ${who(example.again)}` : ''),
      );
    }
    const leak = uniqueness?.retainedBytesPerId ?? 0;
    if (leak > 0) problems.push(`leaks memory: ${leak} bytes per id are held after garbage was collected`);
    problems.push(...(order?.brokenClaims ?? []));
    return problems.map((problem) => `${name}: ${problem}`);
  });
}
