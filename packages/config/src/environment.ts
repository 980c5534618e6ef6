import { readFileSync } from 'node:fs';
import { IdError } from '@ids/core';
import type { GeneratorConfig, IdsConfig } from './ids-config.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Lays the environment over a config from a file: `IDS_REDIS_URL`, `IDS_DATABASE_URL` (or either with `_FILE`, a file that
 * holds the URL, as orchestrators mount secrets), and `IDS_<NAME>_STRATEGY` for the generator of that name.
 */
export function applyEnvironment(config: IdsConfig, environment: Environment): IdsConfig {
  const generators = Object.entries(config.generators).map(([name, generator]): [string, GeneratorConfig] => {
    const strategy = environment[strategyVariable(name)] ?? generator.strategy;
    return [name, { ...generator, strategy }];
  });
  return {
    ...config,
    redis: secret('IDS_REDIS_URL', environment) ?? config.redis,
    database: secret('IDS_DATABASE_URL', environment) ?? config.database,
    generators: Object.fromEntries(generators),
  };
}

/** `orderLine` and `order-line` are both set by `IDS_ORDER_LINE_STRATEGY`. */
function strategyVariable(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  return `IDS_${words.toUpperCase()}_STRATEGY`;
}

function secret(variable: string, environment: Environment): string | undefined {
  const file = environment[`${variable}_FILE`];
  if (environment[variable] !== undefined || file === undefined) return environment[variable];
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new IdError('ERR_IDS_CONFIG', `${variable}_FILE: cannot read "${file}"`, { cause });
  }
}
