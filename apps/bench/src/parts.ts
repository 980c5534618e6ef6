import type { BenchResult, RunResult } from './result.js';

/** The commands that measure, in the order in which the page shows what they found. */
export const PARTS = ['run', 'faults', 'index', 'claims'] as const;

export type Part = (typeof PARTS)[number];

/** Which command a result is of. */
export function partOf({ claims, faults, indexCosts }: RunResult): Part {
  if (claims !== undefined) return 'claims';
  if (faults !== undefined) return 'faults';
  return indexCosts === undefined ? 'run' : 'index';
}

/** All that a result holds, by command. */
export function partsOf(result: BenchResult): Readonly<Partial<Record<Part, RunResult>>> {
  return Object.fromEntries([...(result.kept ?? []), result].map((one) => [partOf(one), one]));
}

/** `bench faults` */
export function commandOf(run: RunResult): string {
  const part = partOf(run);
  return part === 'run' ? 'bench' : `bench ${part}`;
}
