import {
  createIds,
  IdError,
  type IdGenerator,
  type IdStrategy,
  isIdError,
  type PlannedGenerator,
} from '@ids/core';
import type { GeneratorConfig, IdsConfig } from './ids-config.js';
import { type Needs, unmetNeeds } from './needs.js';

/**
 * Validates every generator of `config` and checks its needs, opening nothing. Throws one error that lists all problems:
 * `ERR_IDS_CONFIG` when any option is wrong, else `ERR_IDS_UNMET`.
 */
export function planGenerators(
  strategies: readonly IdStrategy[],
  config: IdsConfig,
): Map<string, PlannedGenerator<IdGenerator>> {
  const ids = createIds(strategies);
  const plans = new Map<string, PlannedGenerator<IdGenerator>>();
  const wrong: string[] = [];
  const unmet: string[] = [];
  for (const [name, { require: needs = {}, ...generator }] of Object.entries(config.generators)) {
    try {
      const plan = ids.plan(withShared(strategies, config, name, generator));
      plans.set(name, plan);
      const phrases = unmetNeeds(needs, plan.guarantees);
      if (phrases.length > 0) {
        const fitting = fittingStrategies(strategies, config, name, generator, needs);
        unmet.push(
          `generators.${name}: ${plan.strategy} does not fit: ${phrases.join('; ')}. Would fit: ${fitting}`,
        );
      }
    } catch (error) {
      if (!isIdError(error)) throw error;
      wrong.push(...error.message.split('\n').map((line) => `generators.${name}: ${line}`));
    }
  }
  if (wrong.length > 0) throw new IdError('ERR_IDS_CONFIG', wrong.join('\n'));
  if (unmet.length > 0) throw new IdError('ERR_IDS_UNMET', unmet.join('\n'));
  return plans;
}

/** Options that a generator need not repeat: its own name as the sequence's name, and the shared backends. */
function withShared(
  strategies: readonly IdStrategy[],
  { redis, database }: Pick<IdsConfig, 'redis' | 'database'>,
  name: string,
  generator: GeneratorConfig,
): GeneratorConfig {
  const known = strategies.find((strategy) => strategy.name === generator.strategy)?.optionNames ?? [];
  const ownSource = 'source' in generator ? ['database'] : [];
  const shared = Object.entries({ name, redis, database }).filter(
    ([option, value]) => value !== undefined && known.includes(option) && !ownSource.includes(option),
  );
  return { ...Object.fromEntries(shared), ...generator };
}

/** The strategies that would meet the needs, for the error message; backends are only named, never opened. */
function fittingStrategies(
  strategies: readonly IdStrategy[],
  config: IdsConfig,
  name: string,
  generator: GeneratorConfig,
  needs: Needs,
): string {
  const backends = {
    redis: config.redis ?? 'redis://localhost',
    database: config.database ?? 'postgres://localhost/db',
  };
  const fitting = strategies.filter((strategy) => {
    const kept = Object.entries(generator).filter(([option]) => strategy.optionNames.includes(option));
    const candidate = withShared(strategies, backends, name, {
      ...Object.fromEntries(kept),
      strategy: strategy.name,
    });
    try {
      return unmetNeeds(needs, createIds(strategies).plan(candidate).guarantees).length === 0;
    } catch {
      return false;
    }
  });
  return fitting.map((strategy) => strategy.name).join(', ') || 'none of the strategies handed in';
}
