import { resolve } from 'node:path';
import { IdError } from '@ids/core';
import { readConfigFile } from './config-file.js';
import { urlWarnings } from './database-url.js';
import { type ConfigWarning, type Environment, readEnvironment, type Setting } from './environment.js';
import type { GeneratorConfig, IdsConfig } from './ids-config.js';

export interface LoadConfigOptions {
  /** The folder of `ids.config.{ts,js,mjs,json,yaml}`; by default, the working directory. */
  readonly cwd?: string;
  /** The environment, whose settings override the file; by default, that of the process. */
  readonly environment?: Environment;
  /** Settings from code, which override both, option by option. */
  readonly overrides?: Partial<Omit<IdsConfig, 'generators'>> & {
    readonly generators?: Readonly<Record<string, Partial<GeneratorConfig>>>;
  };
}

/** A merged config, not yet validated. */
export interface ReadConfig {
  readonly config: object;
  /** Its values and their origins. Code overrides the environment, which overrides the file. */
  readonly settings: readonly Setting[];
  /** What is wrong with variables of the environment, one line each. */
  readonly problems: readonly string[];
  /** Probable mistakes that do not prevent the use of the config. */
  readonly warnings: readonly ConfigWarning[];
  /** The name of the config file. */
  readonly file: string;
}

/**
 * Merges a config from file, environment and code, and records the origin of each value. Rejects with
 * `ERR_IDS_CONFIG` if there is no file or it cannot be read.
 */
export async function readConfig({
  cwd = process.cwd(),
  environment = process.env,
  overrides = {},
}: LoadConfigOptions = {}): Promise<ReadConfig> {
  const { file, config: written, duplicates } = await readConfigFile(cwd);
  const config = fromFolder(written, cwd);
  const code = settingsOf(overrides, 'code').filter(({ path }) => path.length > 0);
  // The overrides come first: they decide which generators there are, and which of them need a key.
  const inCode = withSettings(config, code);
  const { settings, problems, warnings } = readEnvironment(inCode, environment);
  const above = [...settings, ...code];
  const winners = new Map<string, Setting>();
  for (const setting of [...settingsOf(config, file), ...above]) winners.set(setting.path.join('.'), setting);
  return {
    config: withSettings(config, above),
    settings: [...winners.values()],
    problems,
    warnings: [...duplicates, ...warnings, ...urlWarnings([...winners.values()])],
    file,
  };
}

/**
 * Reads `ids.config.*`, overrides its values by those of the environment, and both by `overrides`. Rejects
 * with `ERR_IDS_CONFIG` if there is no file, it cannot be read, or the environment is invalid; `openIds`
 * checks the rest.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<IdsConfig> {
  const { config, problems } = await readConfig(options);
  if (problems.length > 0) throw new IdError('ERR_IDS_CONFIG', problems.join('\n'));
  return config as IdsConfig;
}

const RELATIVE_FILE = /^sqlite:([^/:?#][^?#]*)$/;

/**
 * With the paths of `sqlite:` URLs relative to the folder of the config, and not to the working directory:
 * two processes with one config must not have two files, which issue the same ids.
 */
function fromFolder(config: object, folder: string): object {
  const resolved = settingsOf(config, '').flatMap((setting) => {
    const { path: at, value } = setting;
    const [, path] = (typeof value === 'string' && RELATIVE_FILE.exec(value)) || [];
    if (path === undefined || at.at(-1) !== 'database') return [];
    return [{ ...setting, value: `sqlite:${resolve(folder, path)}` }];
  });
  return withSettings(config, resolved);
}

/** The leaves of `config`; clients and other objects that are not plain count as leaves. */
export function settingsOf(config: unknown, origin: string, path: readonly string[] = []): Setting[] {
  if (!isPlain(config)) return [{ path, value: config, origin }];
  return Object.entries(config).flatMap(([key, value]) =>
    value === undefined ? [] : settingsOf(value, origin, [...path, key]),
  );
}

/** A copy of `config` with `settings` applied; later ones override earlier ones. */
export function withSettings(config: object, settings: readonly Setting[]): object {
  const copy = copyOf(config) as Record<string, unknown>;
  for (const { path, value } of settings) place(copy, path, value);
  return copy;
}

function copyOf(value: unknown): unknown {
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]));
}

function place(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  const inner = Object.hasOwn(target, key) && isPlain(target[key]) ? target[key] : {};
  if (rest.length > 0) place(inner, rest, value);
  // Defined, not assigned, so that `__proto__` is a key like any other.
  const placed = rest.length === 0 ? value : inner;
  Object.defineProperty(target, key, { value: placed, enumerable: true, configurable: true, writable: true });
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
