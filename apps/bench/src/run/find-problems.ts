import type { CaseResult } from '../result.js';

/** Everything that must not be, in words. A backend that could not be had and a run that was stopped are not among it. */
export function findProblems(cases: readonly CaseResult[]): string[] {
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
