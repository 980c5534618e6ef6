import { createIds, IdError, type IdStrategy, isIdError, type PlannedGenerator } from '@ids/core';
import { type Codec, createCodec, type EncodeOptions } from '@ids/encode';
import { type Logger, logEvents } from './event-log.js';
import { type GeneratorConfig, generatorsIn, type IdsConfig, isGeneratorConfig } from './ids-config.js';
import { namingKeyed } from './keyed-strategies.js';
import { type Needs, unmetNeeds } from './needs.js';
import { configProblems, generatorProblems } from './problems.js';
import { secretHider } from './secrets.js';
import { planSeries } from './series/plan-series.js';
import { seriesClashes } from './series/series-clashes.js';
import { seriesProblems } from './series/series-problems.js';
import { sharedFamilyProblems, sharedTableProblems } from './shared-tables.js';

/** A generator of a validated config. Nothing is opened yet: `openGenerator` does that. */
export interface ConfiguredGenerator extends Omit<PlannedGenerator, 'create' | 'createKeyed'> {
  readonly name: string;
  /** The generator without `encode`. */
  readonly plan: PlannedGenerator;
  /** The options passed to its strategy, including shared backends. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Converts between ids and their encoded strings; undefined without `encode`. */
  readonly codec: Codec | undefined;
  /** How the number of an id is written; undefined if by its digits alone. May contain a key. */
  readonly encode: EncodeOptions | undefined;
  readonly column: string | undefined;
}

export interface PlanOptions {
  /** Problems found earlier, to be reported with the others. */
  readonly problems?: readonly string[];
  /** The logger for events; the config's `logLevel` selects which. */
  readonly logger?: Logger | undefined;
  /**
   * Whether the environment was applied to the config, so that error messages can name the variable for a
   * missing value; false by default.
   */
  readonly fromEnvironment?: boolean;
}

/**
 * Validates every generator of `config` and checks its needs, and validates its series, without opening
 * anything. Throws a single error that lists all problems: `ERR_IDS_CONFIG` if anything is invalid,
 * `ERR_IDS_UNMET` if the only problems are unmet needs.
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
      // Problems in `require` and `encode` are already listed; check the strategy's options nevertheless.
      const sound = shape.length === 0 ? generator : { ...generator, encode: undefined };
      const plan = planGenerator(strategies, config as IdsConfig, name, sound, options);
      plans.set(name, plan);
      const phrases = shape.length === 0 ? unmetNeeds(needs, plan.guarantees) : [];
      if (phrases.length > 0) {
        const fitting = fittingStrategies(strategies, config as IdsConfig, plan, generator);
        unmet.push(
          `generators.${name}: ${plan.strategy} does not fit: ${phrases.join('; ')}. Would fit: ${fitting}`,
        );
      }
    } catch (error) {
      if (!isIdError(error)) throw error;
      wrong.push(...error.message.split('\n').map((line) => `generators.${name}: ${line}`));
    }
  }
  const planned = [...plans.values()];
  wrong.push(...sharedTableProblems(planned), ...sharedFamilyProblems(planned));
  const seriesWrong = seriesProblems(config);
  wrong.push(
    ...seriesWrong,
    ...(seriesWrong.length > 0 ? [] : seriesClashes(planned, [...planSeries(config).values()])),
  );
  const hide = secretHider(config);
  if (wrong.length > 0) throw new IdError('ERR_IDS_CONFIG', hide([...wrong, ...unmet].join('\n')));
  if (unmet.length > 0) throw new IdError('ERR_IDS_UNMET', hide(unmet.join('\n')));
  return plans;
}

/** Validates one generator. Throws `ERR_IDS_CONFIG` if the strategy is unknown or an option is invalid. */
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
  let plan: PlannedGenerator;
  try {
    plan = createIds(strategies).plan({ strategy, ...options });
  } catch (error) {
    if (!isIdError(error)) throw error;
    const lines = error.message
      .split('\n')
      .map((line) => namingKeyed(strategies, strategy, line))
      .map((line) => (fromEnvironment ? namingVariables(missing, line) : line));
    throw new IdError(error.code, lines.join('\n'), { cause: error });
  }
  const codec = encode === undefined ? undefined : createCodec(plan.guarantees, encode);
  return {
    name,
    options,
    codec,
    encode,
    column,
    strategy,
    store: plan.store,
    timed: plan.timed,
    guarantees: codec?.guarantees ?? plan.guarantees,
    plan,
  };
}

const URL_VARIABLES = { redis: 'IDS_REDIS_URL', database: 'IDS_DATABASE_URL' } as const;
type Backend = keyof typeof URL_VARIABLES;

/** A line of an error. If it is about a missing backend, it names the variables that can set it. */
function namingVariables(missing: readonly Backend[], line: string): string {
  const variables = missing.map((backend) => URL_VARIABLES[backend]).join(' and ');
  return missing.some((it) => line.includes(`"${it}"`)) ? `${line}; set ${variables}` : line;
}

type Shared = Pick<IdsConfig, 'redis' | 'database' | 'logLevel'>;

function optionNamesOf(strategies: readonly IdStrategy[], name: string): readonly string[] {
  return strategies.find((strategy) => strategy.name === name)?.optionNames ?? [];
}

/**
 * Adds the options that a generator need not repeat: its own name as the name of the sequence, the shared
 * backends, and the event log.
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

/**
 * The strategies that would meet the needs, for the error message. Backends get placeholders; nothing is
 * opened.
 */
function fittingStrategies(
  strategies: readonly IdStrategy[],
  config: IdsConfig,
  { name, guarantees: { within } }: ConfiguredGenerator,
  { encode, ...generator }: GeneratorConfig,
): string {
  const needs: Needs = generator.require ?? {};
  const backends = {
    redis: config.redis ?? 'redis://localhost',
    database: config.database ?? 'postgres://localhost/db',
  };
  const fitting = strategies.filter((strategy) => {
    const kept = Object.entries(generator).filter(([option]) => strategy.optionNames.includes(option));
    const candidate = { ...Object.fromEntries(kept), strategy: strategy.name, encode };
    try {
      const { guarantees } = planGenerator(strategies, backends, name, candidate);
      return guarantees.within === within && unmetNeeds(needs, guarantees).length === 0;
    } catch {
      return false;
    }
  });
  return fitting.map((strategy) => strategy.name).join(', ') || 'none of the strategies that were passed';
}
