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
  /** The variables that can set something in this config. */
  readonly known: ReadonlySet<string>;
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
 * and per generator `IDS_<NAME>_STRATEGY` and, if it obfuscates, `IDS_<NAME>_KEY`. A secret can also be in a
 * file, as orchestrators mount them, whose name is in the variable with the suffix `_FILE`. An empty variable
 * counts as not set.
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
  }
  return { settings, problems, known };
}

/** A probable mistake that does not prevent the use of a config. */
export interface ConfigWarning {
  /** The variable or file that the warning is about. */
  readonly about: string;
  readonly message: string;
}

const OURS = /^IDS_(.+)_(STRATEGY|KEY|URL|LEVEL)(?:_FILE)?$/;

/**
 * Warns about variables that look as if they were meant for this config but set nothing in it. `known`
 * contains those that can. They are not errors, because services that share an environment may have variables
 * for each other.
 */
export function strayVariables(
  config: unknown,
  environment: Environment,
  known: ReadonlySet<string>,
): ConfigWarning[] {
  const withoutKey = new Set(generatorsIn(config).map(([name]) => variableFor(name, 'KEY')));
  return Object.keys(environment)
    .filter((variable) => variable.startsWith('IDS_') && environment[variable] && !known.has(variable))
    .flatMap((variable) => {
      const unused = withoutKey.has(variable.replace(/_FILE$/, ''));
      if (unused) return [warning(variable, 'its generator has no "encode" with "obfuscate": true')];
      const nearest = nearestVariable(variable, known);
      const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
      const [, , setting] = OURS.exec(variable) ?? [];
      if (setting === 'STRATEGY' || setting === 'KEY')
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

/** Masking shorter ones would garble ordinary words, and they are not secrets. */
const SHORTEST_SECRET = 6;

/** Masks the part between `//` and `@` of a URL, and passwords among its parameters. */
function masked(text: string): string {
  return text.replace(/(\/\/)[^\s/@"']*@/g, '$1***@').replace(/([?&]\w*password=)[^&\s"']*/gi, '$1***');
}

/**
 * Returns a function that masks the secrets of `config` in a string: URLs with passwords, keys, and their
 * parts.
 */
export function secretHider(config: unknown): (text: string) => string {
  const secrets = [...secretsOf(config)].filter((secret) => secret.length >= SHORTEST_SECRET);
  // The longest first, so that no part of one remains.
  secrets.sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), masked(text));
}

function* secretsOf(config: unknown): Iterable<string> {
  const { redis, database } = Object(config) as Record<string, unknown>;
  yield* partsOf(redis);
  yield* partsOf(database);
  for (const [, generator] of generatorsIn(config)) {
    const own = Object(generator) as Record<string, unknown>;
    yield* partsOf(own.redis);
    yield* partsOf(own.database);
    const { key } = Object(own.encode) as Record<string, unknown>;
    if (typeof key === 'string') yield key;
  }
}

function* partsOf(url: unknown): Iterable<string> {
  if (typeof url !== 'string') return;
  if (!URL.canParse(url)) {
    yield url;
    return;
  }
  const { password } = new URL(url);
  yield password;
  try {
    yield decodeURIComponent(password);
  } catch {
    // Not valid in a URL, so it is not decoded elsewhere either.
  }
}

/** Formats a setting for display. Hides it if it is a secret, and any secrets in it. */
export function shownSetting(path: string, value: unknown): string {
  const last = path.slice(path.lastIndexOf('.') + 1);
  if (last === 'key') return '***';
  if (typeof value === 'string') return masked(value);
  if (typeof value === 'object' && value !== null)
    return last === 'redis' || last === 'database' ? 'a client' : JSON.stringify(value);
  return String(value);
}
