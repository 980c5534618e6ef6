import { type EncodeOptions, encodeOptionsSchema } from '@ids/encode';
import * as v from 'valibot';
import type { LogLevel } from './event-log.js';
import { type Needs, needsSchema } from './needs.js';

/**
 * One generator: its strategy, what the service requires of it, the form of its ids, and
 * the strategy's own options.
 */
export interface GeneratorConfig {
  readonly strategy: string;
  readonly require?: Needs | undefined;
  /** Another form of the ids; with `obfuscate: true` the key comes from `IDS_<NAME>_KEY` or its `_FILE`. */
  readonly encode?: EncodeOptions | undefined;
  /**
   * Where the service keeps these ids, `table.column` or `schema.table.column`: for `ids doctor` and
   * `ids swap`, nothing else.
   */
  readonly column?: string | undefined;
  readonly [option: string]: unknown;
}

/** The content of `ids.config.*`. */
export interface IdsConfig {
  /** The JSON Schema by which editors check and complete the file. */
  readonly $schema?: string | undefined;
  /**
   * A `redis://` URL or an ioredis client, for every generator whose strategy takes one
   * and does not name its own.
   */
  readonly redis?: unknown;
  /** A `postgres://` or `mysql://` URL, or a pool of `pg` or `mysql2`, in the same way. */
  readonly database?: unknown;
  /**
   * Which events of generators are logged, by the logger that `openIds` was given or else to the console. By
   * default `info` with a logger, and nothing without.
   */
  readonly logLevel?: LogLevel | undefined;
  /** By the names under which the service asks for them. */
  readonly generators: Readonly<Record<string, GeneratorConfig>>;
}

export const CONFIG_KEYS = ['$schema', 'redis', 'database', 'logLevel', 'generators'] as const;

const COLUMN_NAME = /^[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*){1,2}$/;

/** What every generator may have, whatever its strategy. */
export const generatorEntries = {
  strategy: v.string(),
  require: v.optional(needsSchema),
  encode: v.optional(encodeOptionsSchema),
  column: v.optional(v.pipe(v.string(), v.regex(COLUMN_NAME))),
};

/** Returns the config as it is; for editors and the compiler. */
export function defineConfig<const Config extends IdsConfig>(config: Config): Config {
  return config;
}

/** The generators whose config can be looked at, by name. */
export function generatorsIn(config: unknown): [name: string, generator: unknown][] {
  const generators = isObject(config) ? (config as Partial<IdsConfig>).generators : undefined;
  return isObject(generators) ? Object.entries(generators) : [];
}

export function isGeneratorConfig(generator: unknown): generator is GeneratorConfig {
  return isObject(generator) && typeof generator.strategy === 'string';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
