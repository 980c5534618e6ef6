import { IdError, unknownName } from '@ids/core';
import * as v from 'valibot';
import { type Needs, needsSchema } from './needs.js';

/** One generator: its strategy, what the service needs of it, and the strategy's own options. */
export interface GeneratorConfig {
  readonly strategy: string;
  readonly require?: Needs;
  readonly [option: string]: unknown;
}

/** What stands in `ids.config.*`. */
export interface IdsConfig {
  /** A `redis://` URL or an ioredis client, for every generator whose strategy takes one and does not name its own. */
  readonly redis?: unknown;
  /** A `postgres://` URL or a pg pool, likewise. */
  readonly database?: unknown;
  /** By the names under which the service asks for them. */
  readonly generators: Readonly<Record<string, GeneratorConfig>>;
}

const CONFIG_KEYS = ['redis', 'database', 'generators'];

const schema = v.object({
  generators: v.record(v.string(), v.looseObject({ strategy: v.string(), require: v.optional(needsSchema) })),
});

/** Returns the config as it is; for editors and the compiler. */
export function defineConfig<const Config extends IdsConfig>(config: Config): Config {
  return config;
}

/** Throws one `ERR_IDS_CONFIG` that lists everything wrong with the outer shape; strategies check their own options. */
export function assertIdsConfig(config: object): asserts config is IdsConfig {
  const problems = Object.keys(config)
    .filter((key) => !CONFIG_KEYS.includes(key))
    .map((key) => unknownName('key', key, CONFIG_KEYS));
  const { issues = [] } = v.safeParse(schema, config);
  problems.push(...issues.map((issue) => `${v.getDotPath(issue) ?? 'config'}: ${issue.message}`));
  if (problems.length > 0)
    throw new IdError('ERR_IDS_CONFIG', problems.map((line) => `ids.config: ${line}`).join('\n'));
}
