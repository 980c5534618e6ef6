import type { BenchResult, RunResult } from '../schema/run.js';

/** The commands that measure, in the order of the page. */
export const PARTS = ['run', 'faults', 'index', 'claims'] as const;

export type Part = (typeof PARTS)[number];

/** The command that a result comes from. */
export function partOf({ claims, faults, indexCosts }: RunResult): Part {
  if (claims !== undefined) return 'claims';
  if (faults !== undefined) return 'faults';
  return indexCosts === undefined ? 'run' : 'index';
}

/** All runs in a result, by command. */
export function partsOf(result: BenchResult): Readonly<Partial<Record<Part, RunResult>>> {
  return Object.fromEntries([...(result.kept ?? []), result].map((one) => [partOf(one), one]));
}

/** How to call it: `bench faults`, `claims`. */
const COMMANDS: Readonly<Record<Part, string>> = {
  run: 'bench',
  faults: 'bench faults',
  index: 'bench index',
  claims: 'claims',
};

/** How a shell starts a command: in a clone, or, where this run was installed, from the registry. */
export function shellCommand(part: Part, { environment }: RunResult): string | undefined {
  if (environment.gitCommit !== undefined) return `pnpm ${COMMANDS[part]}`;
  return part === 'claims' ? undefined : `npx @ids/${COMMANDS[part]}`;
}

export function commandOf(run: RunResult): string {
  return COMMANDS[partOf(run)];
}
