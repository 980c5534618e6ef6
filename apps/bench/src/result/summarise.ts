import type { Guarantees } from '@ids/core';
import type { Alternative } from '../cases/case.js';
import { atRate } from '../experiments/at-rate.js';
import { openLoops } from '../experiments/latency.js';
import { order } from '../experiments/order/judge.js';
import { slowdown } from '../experiments/slowdown.js';
import type { BenchPlan, CaseRecord, Phase } from '../experiments/steps.js';
import { bursts, closedLoops } from '../experiments/throughput.js';
import { uniqueness } from '../experiments/uniqueness/check.js';
import type { CaseResult } from '../schema/case.js';
import type { PlainGuarantees } from '../schema/guarantees.js';

/** What `bench` finds out about the cases of a plan, and what it has found so far. */
export interface CaseExperiments {
  readonly phases: readonly Phase[];
  /** Strategies first, then controls. */
  results(seed: number): CaseResult[];
}

export function caseExperiments(plan: BenchPlan): CaseExperiments {
  const { records } = plan;
  const sync = bursts(plan);
  const loops = closedLoops(plan);
  const latency = openLoops(plan, loops.capacityOf);
  const needed = atRate(plan);
  const slower = slowdown(plan);
  const unique = uniqueness(plan);
  const ordered = order(plan);

  function resultOf(record: CaseRecord, seed: number): CaseResult {
    const { benchCase, status, reason } = record;
    const { name, kind, format, maxIdsPerSecond } = benchCase;
    const comparedWith = benchCase.kind === 'strategy' ? benchCase.comparedWith : [];
    const controls = comparedWith.flatMap((control) => records.filter((other) => other.name === control));
    const basis = { controls, seed };
    // The speed of wrong ids does not count.
    const counts = status !== 'invalid';
    const measured = {
      sync: counts ? sync.resultOf(record, basis) : undefined,
      loops: counts ? loops.resultOf(record, basis) : undefined,
      openLoops: counts ? latency.resultOf(record, basis) : undefined,
      atRate: counts ? needed.resultOf(record, basis) : undefined,
      slowdown: counts ? slower.resultOf(record, basis) : undefined,
      uniqueness: unique.resultOf(record, basis),
      ...ordered.resultOf(record, basis),
    };
    return {
      name,
      kind,
      status,
      comparedWith,
      idType: format.idType,
      maxLength: format.text.maxLength,
      ...(reason !== undefined && { reason }),
      ...(maxIdsPerSecond !== undefined && { maxIdsPerSecond }),
      ...(benchCase.kind === 'strategy' && { guarantees: plain(benchCase.guarantees) }),
      ...(benchCase.kind === 'control' && benchCase.alternative && alternativeOf(benchCase.alternative)),
      ...(benchCase.kind === 'strategy' && benchCase.idTypes && { idTypes: benchCase.idTypes }),
      ...(benchCase.kind === 'strategy' && benchCase.own && { own: benchCase.own }),
      ...present(measured),
    };
  }

  return {
    phases: [sync, loops, latency, needed, slower, unique, ordered].map(({ phase }) => phase),
    results(seed) {
      const results = records.map((record) => resultOf(record, seed));
      return [
        ...results.filter(({ kind }) => kind === 'strategy'),
        ...results.filter(({ kind }) => kind === 'control'),
      ];
    },
  };
}

/** Without what is undefined or an empty list. */
function present<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value?.length !== 0),
  ) as { [K in keyof T]?: NonNullable<T[K]> };
}

function alternativeOf({ guarantees, idTypes, ...alternative }: Alternative) {
  return { alternative, guarantees: plain(guarantees), ...(idTypes && { idTypes }) };
}

function plain({ text, ...rest }: Guarantees): PlainGuarantees {
  return { ...rest, text: { ...text, pattern: text.pattern.source } };
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
      const [example] = examples;
      const who = ({ process, index }: { process: number; index: number }) =>
        `process ${process} as its id ${index}`;
      problems.push(
        `${duplicates} duplicate${duplicates === 1 ? '' : 's'} in ${ids} ids` +
          (example ? `: ${example.id} was issued by ${who(example.first)} and by ${who(example.again)}` : ''),
      );
    }
    const leak = found?.retainedBytesPerId ?? 0;
    if (leak > 0) problems.push(`leaks memory: ${leak} bytes per id are held after garbage collection`);
    problems.push(...(observed?.brokenClaims ?? []));
    return problems.map((problem) => `${name}: ${problem}`);
  });
}
