import type { IdStrategy } from '@ids/core';

/**
 * That a strategy has no sequences by key, and which ones have; undefined if it has, or if it is not known.
 */
export function withoutKeys(strategies: readonly IdStrategy[], name: string): string | undefined {
  const strategy = strategies.find((known) => known.name === name);
  if (strategy === undefined || strategy.createKeyed !== undefined) return undefined;
  const others = strategies.filter(({ createKeyed }) => createKeyed !== undefined);
  const which = others.map((known) => known.name).join(', ') || 'none of those that were passed';
  return `${name} has no sequences by key; strategies that have: ${which}`;
}

/** A line of an error. If its strategy does not know the option `keyed`, it says which ones do. */
export function namingKeyed(strategies: readonly IdStrategy[], name: string, line: string): string {
  const why = line.startsWith(`${name}: unknown option "keyed"`) ? withoutKeys(strategies, name) : undefined;
  return why === undefined ? line : `option "keyed": ${why}`;
}
