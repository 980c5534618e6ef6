import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createIds, type IdStrategy } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import {
  type Backend,
  type CaseEnvironment,
  type ControlCase,
  NOWHERE,
  partsOf,
  type StrategyCase,
  subjectOf,
} from './case.js';
import { memoryControls, postgresNextval, redisIncr } from './controls.js';
import { UsageError } from './select.js';

/** What the module of a strategy of your own exports, for `--strategy`. */
export interface OwnStrategyModule {
  /** May have any name if it is the only strategy that the module exports. */
  readonly strategy: IdStrategy;
  /** Its options in a process of the run; none by default. */
  readonly options?: (environment: CaseEnvironment) => Readonly<Record<string, unknown>>;
  /** The controls to compare it with, by name; by default those of its backend, or those in memory. */
  readonly comparedWith?: readonly string[];
  /** Creates what it needs in its backends, such as a table: once per run, before any process opens it. */
  readonly prepare?: (environment: CaseEnvironment) => Promise<void>;
  /** Removes that again: once, after the last process, also if `prepare` failed. */
  readonly cleanUp?: (environment: CaseEnvironment) => Promise<void>;
}

const CONTROLS = [...memoryControls, redisIncr, postgresNextval];

const STAGES = ['options', 'prepare', 'cleanUp'];

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
  try {
    url.searchParams.set('strategy', pathToFileURL(resolve(path)).href);
    const loaded = (await import(url.href)) as { readonly cases: readonly StrategyCase[] };
    return { ...(loaded.cases[0] as StrategyCase), casesUrl: url.href };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`--strategy ${path}: ${code === 'ERR_UNKNOWN_FILE_EXTENSION' ? NO_TYPES : message}`);
  }
}

const NO_TYPES = `Node.js ${process.versions.node} does not strip types: compile it to JavaScript, or use Node.js 22.18, 24 or later`;

async function ownCase(url: string): Promise<StrategyCase> {
  const { strategy, options = () => ({}), comparedWith, prepare, cleanUp } = checked(await import(url));
  const ids = createIds([strategy]);
  const configOf = (environment: CaseEnvironment) => ({ strategy: strategy.name, ...options(environment) });
  const { guarantees } = ids.plan(configOf(NOWHERE));
  const parts = partsOf(guarantees);
  return {
    ...parts,
    own: true,
    name: strategy.name,
    comparedWith: comparedWith ?? controlsFor(parts.backends).map(({ name }) => name),
    // Nothing else that the module may export.
    ...(prepare && { prepare }),
    ...(cleanUp && { cleanUp }),
    open: async (environment) => subjectOf(await ids.create(configOf(environment))),
  };
}

/** Those that are measured in the same way: closed loops for what needs a server. */
function controlsFor(backends: readonly Backend[]): readonly ControlCase[] {
  const remote = CONTROLS.filter((control) => control.backends.some((one) => backends.includes(one)));
  return remote.length > 0 ? remote : memoryControls;
}

function checked(module: Readonly<Record<string, unknown>>): OwnStrategyModule {
  const strategy = 'strategy' in module ? module.strategy : onlyStrategy(module);
  if (!isStrategy(strategy)) throw new Error('must export "strategy", an IdStrategy');
  const wrong = STAGES.find((name) => !['function', 'undefined'].includes(typeof module[name]));
  if (wrong !== undefined) {
    const accepted = 'a function of the environment, { runId, processIndex, redisUrl, databaseUrl }';
    throw new Error(`"${wrong}" must be ${accepted}, got ${formatValue(module[wrong])}`);
  }
  const { comparedWith = [] } = module;
  const names: readonly unknown[] = CONTROLS.map(({ name }) => name);
  if (!Array.isArray(comparedWith) || !comparedWith.every((name) => names.includes(name))) {
    const got = formatValue(comparedWith);
    throw new Error(`"comparedWith" must be a list of these: ${names.join(', ')}, got ${got}`);
  }
  return { ...(module as Omit<OwnStrategyModule, 'strategy'>), strategy };
}

function onlyStrategy(module: Readonly<Record<string, unknown>>): unknown {
  const found = Object.entries(module).filter(([, value]) => isStrategy(value));
  if (found.length < 2) return found[0]?.[1];
  const exported = found.map(([name]) => name).join(' and ');
  throw new Error(`exports several strategies, ${exported}: export the one to measure as "strategy"`);
}

function isStrategy(value: unknown): value is IdStrategy {
  const { name, create } = Object(value) as Partial<IdStrategy>;
  return typeof name === 'string' && typeof create === 'function';
}
