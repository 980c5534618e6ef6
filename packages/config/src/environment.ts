import { readFileSync } from 'node:fs';
import { nearestName } from '@ids/core/strategy';
import { generatorsIn } from './ids-config.js';

/** One value of a config and its origin: `code`, `environment IDS_REDIS_URL`, a file name, or `default`. */
export interface Setting {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface EnvironmentSettings {
  readonly settings: readonly Setting[];
  /** What is wrong with variables, one line each, without their values. */
  readonly problems: readonly string[];
  readonly warnings: readonly ConfigWarning[];
}

/**
 * The environment variable for a setting of generator `name`: `IDS_ORDER_LINE_STRATEGY` for `orderLine` and
 * `order-line`.
 */
export function variableFor(name: string, setting: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  return `IDS_${words.toUpperCase()}_${setting}`;
}

/**
 * Reads the settings of a config from the environment: `IDS_REDIS_URL`, `IDS_DATABASE_URL`, `IDS_LOG_LEVEL`,
 * and per generator `IDS_<NAME>_STRATEGY`, if it obfuscates `IDS_<NAME>_KEY`, and if a server issues its ids
 * `IDS_<NAME>_TOKEN`. A secret can also be in a file, as orchestrators mount them, whose name is in the
 * variable with the suffix `_FILE`. An empty variable counts as not set.
 */
export function readEnvironment(config: unknown, environment: Environment): EnvironmentSettings {
  const settings: Setting[] = [];
  const problems: string[] = [];
  const known = new Set<string>();
  const take = (path: readonly string[], variable: string, value: string | undefined): void => {
    known.add(variable);
    if (value) settings.push({ path, value, origin: `environment ${variable}` });
  };
  const takeSecret = (path: readonly string[], variable: string): void => {
    known.add(variable).add(`${variable}_FILE`);
    const file = environment[`${variable}_FILE`];
    if (!file) {
      take(path, variable, environment[variable]);
      return;
    }
    if (environment[variable]) {
      problems.push(`${variable} and ${variable}_FILE are both set: keep one`);
      return;
    }
    try {
      const secret = readFileSync(file, 'utf8').trim();
      if (secret === '') problems.push(`${variable}_FILE: the file "${file}" is empty`);
      take(path, `${variable}_FILE`, secret);
    } catch {
      problems.push(`${variable}_FILE: cannot read "${file}"`);
    }
  };
  take(['logLevel'], 'IDS_LOG_LEVEL', environment.IDS_LOG_LEVEL);
  takeSecret(['redis'], 'IDS_REDIS_URL');
  takeSecret(['database'], 'IDS_DATABASE_URL');
  for (const [name, generator] of generatorsIn(config)) {
    const strategy = variableFor(name, 'STRATEGY');
    take(['generators', name, 'strategy'], strategy, environment[strategy]);
    const { encode } = Object(generator) as { encode?: unknown };
    const { obfuscate } = Object(encode) as { obfuscate?: unknown };
    if (obfuscate === true) takeSecret(['generators', name, 'encode', 'key'], variableFor(name, 'KEY'));
    const own = (Object(generator) as { strategy?: unknown }).strategy;
    if ((environment[strategy] || own) === 'http')
      takeSecret(['generators', name, 'token'], variableFor(name, 'TOKEN'));
  }
  return { settings, problems, warnings: strayVariables(config, environment, known) };
}

/** A probable mistake that does not prevent the use of a config. */
export interface ConfigWarning {
  /** The variable or file that the warning is about. */
  readonly about: string;
  readonly message: string;
}

const OURS = /^IDS_(.+)_(STRATEGY|KEY|TOKEN|URL|LEVEL)(?:_FILE)?$/;

/**
 * Warns about variables that look as if they were meant for this config but set nothing in it. `known`
 * contains those that can. They are not errors, because services that share an environment may have variables
 * for each other.
 */
function strayVariables(
  config: unknown,
  environment: Environment,
  known: ReadonlySet<string>,
): ConfigWarning[] {
  const names = generatorsIn(config).map(([name]) => name);
  const withoutKey = new Set(names.map((name) => variableFor(name, 'KEY')));
  const withoutToken = new Set(names.map((name) => variableFor(name, 'TOKEN')));
  return Object.keys(environment)
    .filter((variable) => variable.startsWith('IDS_') && environment[variable] && !known.has(variable))
    .flatMap((variable) => {
      const unused = withoutKey.has(variable.replace(/_FILE$/, ''));
      if (unused) return [warning(variable, 'its generator has no "encode" with "obfuscate": true')];
      if (withoutToken.has(variable.replace(/_FILE$/, '')))
        return [warning(variable, 'its generator does not have the strategy "http"')];
      const nearest = nearestVariable(variable, known);
      const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
      const [, , setting] = OURS.exec(variable) ?? [];
      if (setting === 'STRATEGY' || setting === 'KEY' || setting === 'TOKEN')
        return [warning(variable, `no generator in this config has this name${hint}`)];
      return hint === '' && setting === undefined
        ? []
        : [warning(variable, `no setting has this name${hint}`)];
    });
}

function warning(about: string, why: string): ConfigWarning {
  return { about, message: `is set but not used: ${why}` };
}

/** Variables of one kind have the same start and end, so only the part in between is compared. */
function nearestVariable(variable: string, known: ReadonlySet<string>): string | undefined {
  const [, name, setting] = OURS.exec(variable) ?? [];
  if (name === undefined) return nearestName(variable, [...known]);
  const alike = [...known].flatMap((other) => {
    const [, otherName = '', otherSetting] = OURS.exec(other) ?? [];
    return otherSetting === setting ? [otherName] : [];
  });
  const nearest = nearestName(name, alike);
  return nearest === undefined ? undefined : variable.replace(`_${name}_`, `_${nearest}_`);
}
