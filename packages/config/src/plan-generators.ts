import {
  createIds,
  IdError,
  type IdGenerator,
  type IdStrategy,
  isIdError,
  type PlannedGenerator,
} from '@ids/core';
import { type Codec, createCodec, encodeIds } from '@ids/encode';
import { configProblems, generatorProblems, generatorsIn, isGeneratorConfig } from './config-problems.js';
import { type Logger, logEvents } from './event-log.js';
import type { GeneratorConfig, IdsConfig } from './ids-config.js';
import { type Needs, unmetNeeds } from './needs.js';
import { secretHider } from './secrets.js';

/** A generator of a config, validated, nothing opened yet. */
export interface ConfiguredGenerator extends PlannedGenerator {
  readonly name: string;
  /** The options as its strategy gets them, shared backends and all. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Between ids and the texts that `encode` makes of them. */
  readonly codec: Codec | undefined;
  readonly column: string | undefined;
}

/**
 * Validates every generator of `config` and checks its needs, opening nothing. Throws one error that lists all problems, `problems` that
 * were found before among them: `ERR_IDS_CONFIG` when anything is wrong, `ERR_IDS_UNMET` when only needs are not met. With a `logger`
 * events are logged as the config's `logLevel` says.
 */
export function planGenerators(
  strategies: readonly IdStrategy[],
  config: unknown,
  problems: readonly string[] = [],
  logger?: Logger,
): Map<string, ConfiguredGenerator> {
  const plans = new Map<string, ConfiguredGenerator>();
  const wrong = [...problems, ...configProblems(config)];
  const unmet: string[] = [];
  for (const [name, generator] of generatorsIn(config)) {
    const shape = generatorProblems(name, generator);
    wrong.push(...shape);
    if (!isGeneratorConfig(generator)) continue;
    const { require: needs = {} } = generator;
    try {
      // What is wrong with needs or texts is known already; the strategy's options are looked at all the same.
      const sound = shape.length === 0 ? generator : { ...generator, encode: undefined };
      const plan = planGenerator(strategies, config as IdsConfig, name, sound, logger);
      plans.set(name, plan);
      const phrases = shape.length === 0 ? unmetNeeds(needs, plan.guarantees) : [];
      if (phrases.length > 0) {
        const fitting = fittingStrategies(strategies, config as IdsConfig, name, generator, needs);
        unmet.push(
          `generators.${name}: ${plan.strategy} does not fit: ${phrases.join('; ')}. Would fit: ${fitting}`,
        );
      }
    } catch (error) {
      if (!isIdError(error)) throw error;
      wrong.push(...error.message.split('\n').map((line) => `generators.${name}: ${line}`));
    }
  }
  const hide = secretHider(config);
  if (wrong.length > 0) throw new IdError('ERR_IDS_CONFIG', hide([...wrong, ...unmet].join('\n')));
  if (unmet.length > 0) throw new IdError('ERR_IDS_UNMET', hide(unmet.join('\n')));
  return plans;
}

/** Throws `ERR_IDS_CONFIG` when the strategy is unknown or an option is wrong. */
export function planGenerator(
  strategies: readonly IdStrategy[],
  config: Shared,
  name: string,
  generator: GeneratorConfig,
  logger?: Logger,
): ConfiguredGenerator {
  const { strategy, require: _needs, encode, column, ...own } = generator;
  const options = withShared(strategies, config, name, strategy, own, logger);
  const plan = createIds(strategies).plan({ strategy, ...options });
  const codec = encode === undefined ? undefined : createCodec(plan.guarantees, encode);
  return {
    name,
    options,
    codec,
    column,
    strategy,
    guarantees: codec?.guarantees ?? plan.guarantees,
    create: async () => {
      const generator: IdGenerator = await plan.create();
      return encode === undefined ? generator : encodeIds(generator, encode);
    },
  };
}

type Shared = Pick<IdsConfig, 'redis' | 'database' | 'logLevel'>;

/** Options that a generator need not repeat: its own name as the sequence's name, the shared backends, and what logs its events. */
function withShared(
  strategies: readonly IdStrategy[],
  { redis, database, logLevel = 'info' }: Shared,
  name: string,
  strategyName: string,
  own: Readonly<Record<string, unknown>>,
  logger: Logger | undefined,
): Record<string, unknown> {
  const known = strategies.find((strategy) => strategy.name === strategyName)?.optionNames ?? [];
  const onEvent = logger && logEvents(name, logger, logLevel);
  const ownSource = 'source' in own ? ['database'] : [];
  const shared = Object.entries({ name, redis, database, onEvent }).filter(
    ([option, value]) => value !== undefined && known.includes(option) && !ownSource.includes(option),
  );
  return { ...Object.fromEntries(shared), ...own };
}

/** The strategies that would meet the needs, for the error message; backends are only named, never opened. */
function fittingStrategies(
  strategies: readonly IdStrategy[],
  config: IdsConfig,
  name: string,
  { encode, ...generator }: GeneratorConfig,
  needs: Needs,
): string {
  const backends = {
    redis: config.redis ?? 'redis://localhost',
    database: config.database ?? 'postgres://localhost/db',
  };
  const fitting = strategies.filter((strategy) => {
    const kept = Object.entries(generator).filter(([option]) => strategy.optionNames.includes(option));
    const candidate = { ...Object.fromEntries(kept), strategy: strategy.name, encode };
    try {
      return unmetNeeds(needs, planGenerator(strategies, backends, name, candidate).guarantees).length === 0;
    } catch {
      return false;
    }
  });
  return fitting.map((strategy) => strategy.name).join(', ') || 'none of the strategies handed in';
}
