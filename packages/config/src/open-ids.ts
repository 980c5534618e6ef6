import { IdError, type IdStrategy, isIdError, type StrategyConfig } from '@ids/core';
import { LOG_LEVELS, type Logger } from './event-log.js';
import type { GeneratorConfig, generatorEntries, IdsConfig } from './ids-config.js';
import { type LoadConfigOptions, readConfig } from './load.js';
import { type OpenGenerator, openGenerator } from './open-generator.js';
import {
  type GeneratorsOf,
  type KeyedGeneratorsOf,
  type OpenedIds,
  readersOf,
  type SeriesOf,
  seriesReaderOf,
} from './opened-ids.js';
import { type ConfiguredGenerator, planGenerators } from './plan-generators.js';
import { planSeries } from './series/plan-series.js';

export interface OpenIdsOptions<S extends IdStrategy, Config extends IdsConfig> extends LoadConfigOptions {
  /** The strategies that the config can use. Only these become part of the application. */
  readonly strategies: readonly S[];
  /**
   * The complete config, given in code: neither a file nor the environment is read. The compiler checks
   * strategies and options.
   */
  readonly config?: Config & CheckedConfig<S, Config>;
  /**
   * The logger for events of generators that have no `onEvent` of their own. Default: the console if the
   * config has a `logLevel`, otherwise none.
   */
  readonly logger?: Logger | undefined;
}

interface CheckedConfig<S extends IdStrategy, Config extends IdsConfig> {
  readonly generators: {
    readonly [Name in keyof Config['generators']]: CheckedGenerator<S, Config['generators'][Name]>;
  };
}

type Keys<T> = T extends T ? keyof T : never;

/**
 * What the compiler can check in a generator whose type it knows in full. Settings at the top of the config
 * are not required again.
 */
type CheckedGenerator<S extends IdStrategy, C extends GeneratorConfig> = string extends
  | keyof C
  | C['strategy']
  ? unknown
  : StrategyConfig<Extract<S, { readonly name: C['strategy'] }>> extends infer Options
    ? { readonly strategy: S['name'] } & Partial<Options> & {
          readonly [Unknown in Exclude<keyof C, Keys<Options> | keyof typeof generatorEntries>]: never;
        }
    : never;

/**
 * Opens all generators of a config, which is given in code or read from `ids.config.*` and the environment.
 * The whole config is validated, and needs are checked, before the first connection is made. If one generator
 * cannot be opened, the others are closed again.
 */
export async function openIds<S extends IdStrategy, const Config extends IdsConfig = IdsConfig>(
  options: OpenIdsOptions<S, Config>,
): Promise<OpenedIds<GeneratorsOf<S, Config>, KeyedGeneratorsOf<S, Config>, SeriesOf<Config>>> {
  const fromEnvironment = options.config === undefined;
  const { config, problems, warnings } =
    options.config === undefined
      ? await readConfig(options)
      : { config: options.config, problems: [], warnings: [] };
  const { logger = (config as Partial<IdsConfig>).logLevel && console } = options;
  const { logLevel = 'info' } = config as Partial<IdsConfig>;
  const plans = planGenerators(options.strategies, config, { problems, logger, fromEnvironment });
  if (LOG_LEVELS.indexOf(logLevel) >= LOG_LEVELS.indexOf('warn'))
    for (const { about, message } of warnings) logger?.warn(`ids: ${about} ${message}`);
  const openings = await Promise.allSettled([...plans.values()].map(opened));
  const open = openings.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(open.map(({ generator }) => generator.close()));
  };
  const failed = openings.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    // Close all of them, and report the open error even if a close fails too.
    await Promise.allSettled(open.map(({ generator }) => generator.close()));
    throw failed.reason;
  }
  const { get, keyed } = readersOf(open, options.strategies);
  type Opened = OpenedIds<GeneratorsOf<S, Config>, KeyedGeneratorsOf<S, Config>, SeriesOf<Config>>;
  return {
    get: get as Opened['get'],
    keyed: keyed as Opened['keyed'],
    series: seriesReaderOf(planSeries(config)),
    generators: byName(open.filter((one) => !one.keyed)),
    keyedGenerators: byName(open.filter((one) => one.keyed)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function byName<G>(open: readonly { readonly name: string; readonly generator: G }[]): Record<string, G> {
  return Object.fromEntries(open.map(({ name, generator }) => [name, generator]));
}

/** Adds the name of the generator to the message: a service has several, perhaps of the same strategy. */
async function opened(plan: ConfiguredGenerator): Promise<OpenGenerator> {
  try {
    return await openGenerator(plan);
  } catch (error) {
    if (!isIdError(error)) throw error;
    const message = `generators.${plan.name}: ${error.message}`;
    throw new IdError(error.code, message, { cause: error.cause ?? error });
  }
}
