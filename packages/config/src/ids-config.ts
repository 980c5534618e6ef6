import { type EncodeOptions, encodeOptionsSchema } from '@ids/encode';
import * as v from 'valibot';
import { COLUMN_NAME } from './column-name.js';
import type { LogLevel } from './event-log.js';
import { type Needs, needsSchema } from './needs.js';
import type { SeriesConfig } from './series/series-config.js';

/**
 * The config of one generator: its strategy, what the service requires of it, the form of its ids, and the
 * options of the strategy.
 */
export interface GeneratorConfig {
  readonly strategy: string;
  readonly require?: Needs | undefined;
  /**
   * Another form for the ids. With `obfuscate: true`, set the key in `IDS_<NAME>_KEY`, or in the file named
   * by `IDS_<NAME>_KEY_FILE`.
   */
  readonly encode?: EncodeOptions | undefined;
  /**
   * Where the service stores these ids, `table.column` or `schema.table.column`, in upper and lower case as
   * in the database, with quotes around a name that SQL needs them for. Only the commands read it: `ids
   * apply` starts a sequence above what is in it.
   */
  readonly column?: string | undefined;
  readonly [option: string]: unknown;
}

/** The content of `ids.config.*`. */
export interface IdsConfig {
  /** The JSON Schema with which editors validate and complete the file. */
  readonly $schema?: string | undefined;
  /** A `redis://` URL or a client of ioredis or node-redis, for every generator that has none of its own. */
  readonly redis?: unknown;
  /**
   * A `postgres://`, `mysql://`, `mariadb://`, `libsql://` or `sqlite:` URL, a pool of `pg` or `mysql2`,
   * another client of Postgres, or an open SQLite database, for every generator that needs one and has none
   * of its own.
   */
  readonly database?: unknown;
  /**
   * Which events of generators are logged: by the `logger` passed to `openIds`, or else to the console.
   * Default: `info` if there is a logger, otherwise nothing.
   */
  readonly logLevel?: LogLevel | undefined;
  /** By the names that the service passes to `get`. */
  readonly generators: Readonly<Record<string, GeneratorConfig>>;
  /** Series of numbers without gaps, by the names that the service passes to `series`. */
  readonly series?: Readonly<Record<string, SeriesConfig>> | undefined;
}

export const CONFIG_KEYS = ['$schema', 'redis', 'database', 'logLevel', 'generators', 'series'] as const;

/** The entries that every generator can have, whatever its strategy. */
export const generatorEntries = {
  strategy: v.string(),
  require: v.optional(needsSchema),
  encode: v.optional(encodeOptionsSchema),
  column: v.optional(v.pipe(v.string(), v.regex(COLUMN_NAME))),
};

/** Returns the config unchanged; for completion in editors and for type checking. */
export function defineConfig<const Config extends IdsConfig>(config: Config): Config {
  return config;
}

/** The entries of `generators`, whether valid or not; none if it is not an object. */
export function generatorsIn(config: unknown): [name: string, generator: unknown][] {
  const generators = isObject(config) ? (config as Partial<IdsConfig>).generators : undefined;
  return isObject(generators) ? Object.entries(generators) : [];
}

/** The entries of `series`, whether valid or not; none if it is not an object. */
export function seriesIn(config: unknown): [name: string, series: unknown][] {
  const series = isObject(config) ? (config as Partial<IdsConfig>).series : undefined;
  return isObject(series) ? Object.entries(series) : [];
}

export function isGeneratorConfig(generator: unknown): generator is GeneratorConfig {
  return isObject(generator) && typeof generator.strategy === 'string';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
