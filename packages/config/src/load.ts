import { IdError } from '@ids/core';
import { readConfigFile } from './config-file.js';
import {
  type ConfigWarning,
  type Environment,
  readEnvironment,
  type Setting,
  strayVariables,
} from './environment.js';
import type { GeneratorConfig, IdsConfig } from './ids-config.js';

export interface LoadConfigOptions {
  /** The folder that holds `ids.config.{ts,js,mjs,json,yaml}`; the working directory by default. */
  readonly cwd?: string;
  /** The environment to lay over it; the process's by default. */
  readonly environment?: Environment;
  /** What the code says: laid over both, option by option. */
  readonly overrides?: Partial<Omit<IdsConfig, 'generators'>> & {
    readonly generators?: Readonly<Record<string, Partial<GeneratorConfig>>>;
  };
}

/** A config as it was put together, not yet checked. */
export interface ReadConfig {
  readonly config: object;
  /** Its values with where each came from: code above environment above file. */
  readonly settings: readonly Setting[];
  /** What is wrong with the environment. */
  readonly problems: readonly string[];
  /** What is probably a mistake, and does not keep the config from being used. */
  readonly warnings: readonly ConfigWarning[];
  /** The name of the file. */
  readonly file: string;
}

/**
 * Puts a config together, and remembers where each value came from. Rejects with `ERR_IDS_CONFIG` when
 * there is no file to read.
 */
export async function readConfig({
  cwd = process.cwd(),
  environment = process.env,
  overrides = {},
}: LoadConfigOptions = {}): Promise<ReadConfig> {
  const { file, config, duplicates } = await readConfigFile(cwd);
  const code = settingsOf(overrides, 'code').filter(({ path }) => path.length > 0);
  // Which generators there are, and which of them want a key, is known once code has had its say.
  const inCode = withSettings(config, code);
  const { settings, problems, known } = readEnvironment(inCode, environment);
  const above = [...settings, ...code];
  const winners = new Map<string, Setting>();
  for (const setting of [...settingsOf(config, file), ...above]) winners.set(setting.path.join('.'), setting);
  const warnings = [
    ...duplicates.map(({ path, lines }) => ({
      about: file,
      message: `the key "${path}" is there ${lines.length} times (lines ${lines.join(', ')}): only the last one counts`,
    })),
    ...strayVariables(inCode, environment, known),
  ];
  return { config: withSettings(config, above), settings: [...winners.values()], problems, warnings, file };
}

/**
 * Reads `ids.config.*`, lays the environment over it, and code's `overrides` over both. Rejects with
 * `ERR_IDS_CONFIG` when there is no file or the environment is wrong; `openIds` checks the rest.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<IdsConfig> {
  const { config, problems } = await readConfig(options);
  if (problems.length > 0) throw new IdError('ERR_IDS_CONFIG', problems.join('\n'));
  return config as IdsConfig;
}

/** Every leaf of `config`; clients and other objects that are not plain count as leaves. */
export function settingsOf(config: unknown, origin: string, path: readonly string[] = []): Setting[] {
  if (!isPlain(config)) return [{ path, value: config, origin }];
  return Object.entries(config).flatMap(([key, value]) =>
    value === undefined ? [] : settingsOf(value, origin, [...path, key]),
  );
}

/** A copy of `config` with `settings` in it, the later above the earlier. */
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
  // Defined, not assigned: a key named "__proto__" is then a key like others.
  const placed = rest.length === 0 ? value : inner;
  Object.defineProperty(target, key, { value: placed, enumerable: true, configurable: true, writable: true });
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
