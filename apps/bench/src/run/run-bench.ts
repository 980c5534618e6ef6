import { randomInt } from 'node:crypto';
import type { CaseList } from '../bench-case.js';
import { advise } from '../choose/advise.js';
import type { ServiceNeeds } from '../choose/service-needs.js';
import type { Profile } from '../profile.js';
import type { ProgressView } from '../progress/progress.js';
import type { BenchResult } from '../result.js';
import { CaseRecord } from './case-record.js';
import { findProblems } from './find-problems.js';
import { orderPhase } from './order-phase.js';
import { selectCases } from './select-cases.js';
import { runSession } from './session.js';
import { summarise } from './summarise.js';
import { loopPhase, openLoopPhase, syncPhase } from './trial-phases.js';
import { uniquenessPhase } from './uniqueness-phase.js';

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

/** Measures everything and cleans up. Rejects with a `UsageError` for an unknown name, before anything is started. */
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
