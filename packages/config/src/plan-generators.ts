import {
  createIds,
  IdError,
  type IdGenerator,
  type IdStrategy,
  isIdError,
  type PlannedGenerator,
} from '@ids/core';
import { type Codec, createCodec, encodeIds } from '@ids/encode';
import { secretHider } from './environment.js';
import { type Logger, logEvents } from './event-log.js';
import { type GeneratorConfig, generatorsIn, type IdsConfig, isGeneratorConfig } from './ids-config.js';
import { type Needs, unmetNeeds } from './needs.js';
import { configProblems, generatorProblems } from './problems.js';
import { sharedTableProblems } from './shared-tables.js';
import { spellingOf } from './swap-facts.js';

/** A generator of a config, validated, nothing opened yet. */
export interface ConfiguredGenerator extends PlannedGenerator {
  readonly name: string;
  /** The options as its strategy gets them, shared backends and all. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Between ids and the strings that `encode` makes of them. */
  readonly codec: Codec | undefined;
  /** For `planSwap`: how the number of an id becomes its text, if that is more than its digits. */
  readonly spelling: string | undefined;
  readonly column: string | undefined;
}

export interface PlanOptions {
  /** Problems that were found before, to be reported with the others. */
  readonly problems?: readonly string[];
  /** Where events are logged, as the config's `logLevel` says. */
  readonly logger?: Logger | undefined;
  /**
   * Whether the environment was laid over the config, so that a variable can give what is
   * missing; false by default.
   */
  readonly fromEnvironment?: boolean;
}

/**
 * Validates every generator of `config` and checks its needs, opening nothing. Throws one error that lists
 * all problems: `ERR_IDS_CONFIG` when anything is wrong, `ERR_IDS_UNMET` when only needs are not met.
 */
export function planGenerators(
  strategies: readonly IdStrategy[],
  config: unknown,
  options: PlanOptions = {},
): Map<string, ConfiguredGenerator> {
  const { problems = [] } = options;
  const plans = new Map<string, ConfiguredGenerator>();
  const wrong = [...problems, ...configProblems(config)];
  const unmet: string[] = [];
  for (const [name, generator] of generatorsIn(config)) {
    const shape = generatorProblems(name, generator);
    wrong.push(...shape);
    if (!isGeneratorConfig(generator)) continue;
    const { require: needs = {} } = generator;
    try {
      // What is wrong with `require` or `encode` is known already; the strategy's options are
      // looked at all the same.
      const sound = shape.length === 0 ? generator : { ...generator, encode: undefined };
      const plan = planGenerator(strategies, config as IdsConfig, name, sound, options);
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
  wrong.push(...sharedTableProblems([...plans.values()]));
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
  { logger, fromEnvironment = false }: PlanOptions = {},
): ConfiguredGenerator {
  const { strategy, require: _needs, encode, column, ...own } = generator;
  const options = withShared(strategies, config, name, strategy, own, logger);
  const known = optionNamesOf(strategies, strategy);
  const missing = (['redis', 'database'] as const).filter(
    (it) => known.includes(it) && options[it] === undefined && !(it === 'database' && 'source' in own),
  );
  const plan = namingVariables(fromEnvironment ? missing : [], () =>
    createIds(strategies).plan({ strategy, ...options }),
  );
  const codec = encode === undefined ? undefined : createCodec(plan.guarantees, encode);
  return {
    name,
    options,
    codec,
    spelling: encode && codec && spellingOf(encode, codec.guarantees.text),
    column,
    strategy,
    table: plan.table,
    guarantees: codec?.guarantees ?? plan.guarantees,
    create: async () => {
      const generator: IdGenerator = await plan.create();
      return encode === undefined ? generator : encodeIds(generator, encode);
    },
  };
}

const URL_VARIABLES = { redis: 'IDS_REDIS_URL', database: 'IDS_DATABASE_URL' } as const;
type Backend = keyof typeof URL_VARIABLES;

/**
 * Runs `plan`; where it refuses because of a backend that is missing, the error names the variables
 * that give what is missing.
 */
function namingVariables<T>(missing: readonly Backend[], plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!isIdError(error)) throw error;
    const variables = missing.map((backend) => URL_VARIABLES[backend]).join(' and ');
    const lines = error.message
      .split('\n')
      .map((line) => (missing.some((it) => line.includes(`"${it}"`)) ? `${line}; set ${variables}` : line));
    throw new IdError(error.code, lines.join('\n'), { cause: error });
  }
}

type Shared = Pick<IdsConfig, 'redis' | 'database' | 'logLevel'>;

function optionNamesOf(strategies: readonly IdStrategy[], name: string): readonly string[] {
  return strategies.find((strategy) => strategy.name === name)?.optionNames ?? [];
}

/**
 * Options that a generator need not repeat: its own name as the sequence's name, the shared backends,
 * and what logs its events.
 */
function withShared(
  strategies: readonly IdStrategy[],
  { redis, database, logLevel = 'info' }: Shared,
  name: string,
  strategyName: string,
  own: Readonly<Record<string, unknown>>,
  logger: Logger | undefined,
): Record<string, unknown> {
  const known = optionNamesOf(strategies, strategyName);
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
  return fitting.map((strategy) => strategy.name).join(', ') || 'none of the strategies that were passed';
}
