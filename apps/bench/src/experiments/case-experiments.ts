import type { StrategyCase } from '../cases/case.js';
import type { CaseResult, PlainGuarantees } from '../schema/case.js';
import { atRate, openLoops } from './open-loops.js';
import { order } from './order/judge.js';
import { LOOP_SETTINGS } from './profile.js';
import { slowdown } from './slowdown.js';
import { type BenchPlan, type CaseRecord, controlsOf, type Experiment, type Phase } from './steps.js';
import { bursts, closedLoops } from './throughput.js';
import { uniqueness } from './uniqueness/check.js';

/** What `bench` finds out about the cases of a plan, and what it has found so far. */
export interface CaseExperiments {
  readonly phases: readonly Phase[];
  /** Strategies first, then controls. */
  results(): CaseResult[];
}

export function caseExperiments(plan: BenchPlan): CaseExperiments {
  const loops = closedLoops(plan);
  const figures = {
    sync: bursts(plan),
    loops,
    openLoops: openLoops(plan, loops.capacityOf),
    atRate: atRate(plan),
    slowdown: slowdown(plan),
  };
  return gathered(plan, figures, { uniqueness: uniqueness(plan), order: order(plan) });
}

/** What `bench keyed` finds out about numbers by key: how fast they come. */
export function keyedExperiments(plan: BenchPlan): CaseExperiments {
  const oneByOne = LOOP_SETTINGS.filter(({ batch }) => batch === 1);
  const loops = closedLoops(plan, [...oneByOne, { concurrency: 2_000, batch: 1 }]);
  return gathered(plan, { loops }, {});
}

type Experiments = Readonly<Record<string, Experiment<unknown>>>;

/** `figures` and `proofs` are named as in a `CaseResult`. */
function gathered({ records }: BenchPlan, figures: Experiments, proofs: Experiments): CaseExperiments {
  function resultOf(record: CaseRecord): CaseResult {
    const { benchCase, status, reason } = record;
    const { name, kind, maxIdsPerSecond } = benchCase;
    const controls = benchCase.kind === 'strategy' ? controlsOf(benchCase, records) : [];
    // The speed of wrong ids does not count.
    const counting = status === 'invalid' || status === 'failed' ? proofs : { ...figures, ...proofs };
    const found = Object.entries(counting).map(([what, one]) => [what, one.resultOf(record, controls)]);
    const measured: Partial<CaseResult> = Object.fromEntries(found);
    return {
      ...{ name, kind, status, ...present({ reason, maxIdsPerSecond }) },
      ...(benchCase.kind === 'strategy' ? promisedBy(benchCase) : present({ usual: benchCase.usual })),
      ...present(status === 'failed' ? refuting(measured) : measured),
    };
  }

  return {
    phases: Object.values({ ...figures, ...proofs }).map(({ phase }) => phase),
    results() {
      const results = records.map(resultOf);
      const of = (wanted: CaseResult['kind']) => results.filter(({ kind }) => kind === wanted);
      return [...of('strategy'), ...of('control')];
    },
  };
}

/** Of a run that failed, only what broke a promise counts: the rest would look like that of a whole run. */
function refuting({ uniqueness: found, order: observed }: Partial<CaseResult>): Partial<CaseResult> {
  const repeats = found && (found.duplicates > 0 || (found.retainedBytesPerId ?? 0) > 0);
  const disorder = observed && observed.brokenClaims.length > 0;
  return { ...(repeats && { uniqueness: found }), ...(disorder && { order: observed }) };
}

/** Without what is undefined or an empty list. */
export function present<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value?.length !== 0),
  ) as { [K in keyof T]?: NonNullable<T[K]> };
}

function promisedBy({ guarantees, idTypes, own }: StrategyCase) {
  const { text, ...rest } = guarantees;
  const plain: PlainGuarantees = { ...rest, text: { ...text, pattern: text.pattern.source } };
  return { guarantees: plain, ...present({ idTypes, own }) };
}

/** Everything that must not happen, in words. That a run was stopped is no problem. */
export function findProblems(cases: readonly CaseResult[]): string[] {
  return cases.flatMap(({ name, status, reason, uniqueness: found, order: observed }) => {
    const problems: string[] = [];
    if (status === 'invalid') problems.push(`invalid output: ${reason}`);
    if (status === 'failed') problems.push(`${reason}`);
    if (status === 'skipped') problems.push(`not measured: ${reason}`);
    if (found !== undefined && found.duplicates > 0) {
      const { duplicates, ids, examples } = found;
      const by = ({ process, index }: { process: number; index: number }) =>
        `by process ${process} as its id ${index}`;
      const [example] = examples;
      const which = example && `: ${example.id} was issued ${by(example.first)} and ${by(example.again)}`;
      problems.push(`${duplicates} duplicate${duplicates === 1 ? '' : 's'} in ${ids} ids${which ?? ''}`);
    }
    const leak = found?.retainedBytesPerId ?? 0;
    if (leak > 0) problems.push(`leaks memory: ${leak} bytes per id are held after garbage collection`);
    problems.push(...(observed?.brokenClaims ?? []));
    return problems.map((problem) => `${name}: ${problem}`);
  });
}
