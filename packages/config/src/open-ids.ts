import {
  type GeneratorFor,
  type Id,
  IdError,
  type IdGenerator,
  type IdStrategy,
  isIdError,
  type StrategyConfig,
  type SyncIdGenerator,
} from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import type { Encoded } from '@ids/encode';
import { LOG_LEVELS, type Logger } from './event-log.js';
import type { GeneratorConfig, generatorEntries, IdsConfig } from './ids-config.js';
import { type LoadConfigOptions, readConfig } from './load.js';
import { type Needs, unmetNeeds } from './needs.js';
import { type ConfiguredGenerator, planGenerators } from './plan-generators.js';

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

interface IdTypeOf {
  readonly string: string;
  readonly number: number;
  readonly bigint: bigint;
  readonly uuid: string;
}

type IdMeeting<N extends Needs> = N extends { readonly type: infer T extends keyof IdTypeOf }
  ? IdTypeOf[T]
  : Id;

/** The type of a generator that was found to meet needs `N`. */
export type GeneratorMeeting<N extends Needs> = N extends { readonly sync: true }
  ? SyncIdGenerator<IdMeeting<N>>
  : IdGenerator<IdMeeting<N>>;

/** The open generators of a service. */
export interface OpenedIds<Generators extends Readonly<Record<string, IdGenerator>>> extends AsyncDisposable {
  /** Returns the generator with this name. Throws `ERR_IDS_CONFIG` if the config has none. */
  get<Name extends keyof Generators & string>(name: Name): Generators[Name];
  /**
   * The same, for code that does not know the type of the config: the generator is typed by the needs, such
   * as `{ type: 'number', sync: true }`. Throws `ERR_IDS_UNMET`, which lists what is missing, if the
   * generator's guarantees do not meet `needs`.
   */
  get<const N extends Needs>(name: keyof Generators & string, needs: N): GeneratorMeeting<N>;
  /** All generators by name, for health endpoints and metrics. */
  readonly generators: Readonly<Record<string, IdGenerator>>;
  /** Closes all generators. Idempotent. */
  close(): Promise<void>;
}

/** With `encode`, the generator issues strings; a union if the type checker does not know the config. */
type OpenedGenerator<S extends IdStrategy, C extends GeneratorConfig> =
  GeneratorFor<S, C> extends infer G extends IdGenerator
    ? C extends { readonly encode: object }
      ? Encoded<G>
      : 'encode' extends keyof C
        ? G | Encoded<G>
        : G
    : never;

type GeneratorsOf<S extends IdStrategy, Config extends IdsConfig> = {
  readonly [Name in keyof Config['generators']]: OpenedGenerator<S, Config['generators'][Name]>;
};

/**
 * Opens all generators of a config, which is given in code or read from `ids.config.*` and the environment.
 * The whole config is validated, and needs are checked, before the first connection is made. If one generator
 * cannot be opened, the others are closed again.
 */
export async function openIds<S extends IdStrategy, const Config extends IdsConfig = IdsConfig>(
  options: OpenIdsOptions<S, Config>,
): Promise<OpenedIds<GeneratorsOf<S, Config>>> {
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
  const openings = await Promise.allSettled(
    [...plans].map(async ([name, plan]): Promise<[string, IdGenerator]> => [name, await opened(name, plan)]),
  );
  const generators = new Map(
    openings.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
  );
  const close = async (): Promise<void> => {
    await Promise.all([...generators.values()].map((generator) => generator.close()));
  };
  const failed = openings.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    // Close all of them, and report the open error even if a close fails too.
    await Promise.allSettled([...generators.values()].map((generator) => generator.close()));
    throw failed.reason;
  }
  const get = (name: string, needs: Needs = {}): IdGenerator => {
    const generator = generators.get(name);
    if (generator === undefined) {
      throw new IdError('ERR_IDS_CONFIG', unknownName('generator', name, [...generators.keys()]));
    }
    const unmet = unmetNeeds(needs, generator.guarantees);
    if (unmet.length === 0) return generator;
    const message = `generators.${name}: ${generator.strategy} does not fit: ${unmet.join('; ')}`;
    throw new IdError('ERR_IDS_UNMET', message);
  };
  return {
    get: get as OpenedIds<GeneratorsOf<S, Config>>['get'],
    generators: Object.fromEntries(generators),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Adds the name of the generator to the message: a service has several, perhaps of the same strategy. */
async function opened(name: string, plan: ConfiguredGenerator): Promise<IdGenerator> {
  try {
    return await plan.create();
  } catch (error) {
    if (!isIdError(error)) throw error;
    throw new IdError(error.code, `generators.${name}: ${error.message}`, { cause: error.cause ?? error });
  }
}
