import { readFileSync } from 'node:fs';
import { nearestName } from '@ids/core/strategy';
import { generatorsIn } from './ids-config.js';

/**
 * One value of a config, and where it came from: `code`, `environment IDS_REDIS_URL`, the name
 * of a file, or `default`.
 */
export interface Setting {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface EnvironmentSettings {
  readonly settings: readonly Setting[];
  /** What is wrong with variables, a line each, without their values. */
  readonly problems: readonly string[];
  /** The variables that this config can be set by. */
  readonly known: ReadonlySet<string>;
}

/**
 * The environment variable for a setting of the generator `name`: `IDS_ORDER_LINE_STRATEGY` for `orderLine`
 * and `order-line`.
 */
export function variableFor(name: string, setting: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  return `IDS_${words.toUpperCase()}_${setting}`;
}

/**
 * What the environment says about a config: `IDS_REDIS_URL`, `IDS_DATABASE_URL`, `IDS_LOG_LEVEL` and, for
 * the generator of that name, `IDS_<NAME>_STRATEGY` and, where it obfuscates, `IDS_<NAME>_KEY`. Secrets may
 * come as `_FILE`, the name of a file that holds them, as orchestrators mount them. An empty variable
 * counts as one that is not set.
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

/** What is probably a mistake, and does not keep a config from being used. */
export interface ConfigWarning {
  /** The variable or the file that it is about. */
  readonly about: string;
  readonly message: string;
}

const OURS = /^IDS_(.+)_(STRATEGY|KEY|URL|LEVEL)(?:_FILE)?$/;

/**
 * Variables that look as if they were meant for this config and set nothing in it, `known` being those that
 * can. Services that share an environment may have variables for each other, so none of these is an error.
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
        return [warning(variable, `no generator of this config has such a name${hint}`)];
      return hint === '' && setting === undefined
        ? []
        : [warning(variable, `no setting has this name${hint}`)];
    });
}

function warning(about: string, why: string): ConfigWarning {
  return { about, message: `is set and not used: ${why}` };
}

/** Variables of one kind begin and end alike, so only what is between is compared. */
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

/** Shorter ones would mask innocent words, and are no secrets. */
const SHORTEST_SECRET = 6;

/** Masks what is between `//` and `@` in a URL, and a password among its parameters. */
function masked(text: string): string {
  return text.replace(/(\/\/)[^\s/@"']*@/g, '$1***@').replace(/([?&]\w*password=)[^&\s"']*/gi, '$1***');
}

/**
 * A function that masks the secrets of `config` in a string: URLs with passwords,
 * keys, and what is in them.
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
    // Not written as URLs demand; then nothing decodes it either.
  }
}

/** A setting for people: the value, unless it is or may hold a secret. */
export function shownSetting(path: string, value: unknown): string {
  const last = path.slice(path.lastIndexOf('.') + 1);
  if (last === 'key') return '***';
  if (typeof value === 'string') return masked(value);
  if (typeof value === 'object' && value !== null)
    return last === 'redis' || last === 'database' ? 'a client' : JSON.stringify(value);
  return String(value);
}
