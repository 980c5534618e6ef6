import { unknownNameMessage } from '@ids/core/strategy';
import type { BenchCase } from './case.js';

/** The user asked for something that does not exist. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The strategies named in `only` (all without it) and the controls that they are compared with, in the order
 * of the list. Throws a `UsageError` for a name that no strategy has.
 */
export function selectCases(cases: readonly BenchCase[], only?: readonly string[]): BenchCase[] {
  const strategies = cases.filter((one) => one.kind === 'strategy');
  const known = strategies.map(({ name }) => name);
  for (const name of only ?? []) {
    if (!known.includes(name)) throw new UsageError(unknownNameMessage('strategy', name, known));
  }
  const chosen = strategies.filter(({ name }) => only?.includes(name) ?? true);
  const controls = new Set(chosen.flatMap((one) => one.comparedWith));
  return cases.filter((one) => (one.kind === 'strategy' ? chosen.includes(one) : controls.has(one.name)));
}
