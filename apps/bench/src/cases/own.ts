import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createIds, type IdStrategy } from '@ids/core';
import {
  type Backend,
  type CaseEnvironment,
  type ControlCase,
  NOWHERE,
  type StrategyCase,
  subjectOf,
} from './case.js';
import { memoryControls, postgresNextval, redisIncr } from './controls.js';
import { UsageError } from './select.js';

/** What the module of a strategy of your own exports, for `--strategy`. */
export interface OwnStrategyModule {
  readonly strategy: IdStrategy;
  /** Its options in a process of the run; none by default. */
  readonly options?: (environment: CaseEnvironment) => Readonly<Record<string, unknown>>;
  /** The controls to compare it with, by name; by default those of its backend, or those in memory. */
  readonly comparedWith?: readonly string[];
}

const CONTROLS = [...memoryControls, redisIncr, postgresNextval];

/** With `?strategy=<url>`, as workers import this module, it exports the case of that strategy. */
const asked = new URL(import.meta.url).searchParams.get('strategy');

/** What a worker looks its case up in. */
export const cases: readonly StrategyCase[] = asked === null ? [] : [await ownCase(asked)];

/**
 * The case of the strategy in the module at `path`, relative to the working directory. Rejects with a
 * `UsageError` that names the file if it cannot be used.
 */
export async function loadOwnCase(path: string): Promise<StrategyCase> {
  const url = new URL(import.meta.url);
  url.searchParams.set('strategy', pathToFileURL(resolve(path)).href);
  try {
    const loaded = (await import(url.href)) as { readonly cases: readonly StrategyCase[] };
    return { ...(loaded.cases[0] as StrategyCase), casesUrl: url.href };
  } catch (error) {
    throw new UsageError(`--strategy ${path}: ${(error as Error).message}`);
  }
}

async function ownCase(url: string): Promise<StrategyCase> {
  const { strategy, options = () => ({}), comparedWith } = checked(await import(url));
  const ids = createIds([strategy]);
  const configOf = (environment: CaseEnvironment) => ({ strategy: strategy.name, ...options(environment) });
  const { guarantees } = ids.plan(configOf(NOWHERE));
  const { maxIdsPerSecond } = guarantees;
  return {
    kind: 'strategy',
    own: true,
    name: strategy.name,
    guarantees,
    backends: guarantees.backends,
    format: guarantees,
    ...(maxIdsPerSecond !== undefined && { maxIdsPerSecond }),
    comparedWith: comparedWith ?? controlsFor(guarantees.backends).map(({ name }) => name),
    open: async (environment) => subjectOf(await ids.create(configOf(environment))),
  };
}

/** Those that are measured in the same way: closed loops for what needs a server. */
function controlsFor(backends: readonly Backend[]): readonly ControlCase[] {
  const remote = CONTROLS.filter((control) => control.backends.some((one) => backends.includes(one)));
  return remote.length > 0 ? remote : memoryControls;
}

function checked(module: Partial<OwnStrategyModule>): OwnStrategyModule {
  const { strategy, options, comparedWith } = module;
  if (typeof strategy?.name !== 'string' || typeof strategy.create !== 'function') {
    throw new Error('must export "strategy", an IdStrategy');
  }
  if (options !== undefined && typeof options !== 'function') {
    throw new Error(
      '"options" must be a function of the environment, { processIndex, redisUrl, databaseUrl }',
    );
  }
  const known = CONTROLS.map(({ name }) => name);
  const isKnown = (name: unknown) => known.includes(name as string);
  if (comparedWith !== undefined && !(Array.isArray(comparedWith) && comparedWith.every(isKnown))) {
    throw new Error(`"comparedWith" must be a list of these: ${known.join(', ')}`);
  }
  return { strategy, ...(options && { options }), ...(comparedWith && { comparedWith }) };
}
