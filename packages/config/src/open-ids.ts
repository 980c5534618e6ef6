import {
  type GeneratorFor,
  IdError,
  type IdGenerator,
  type IdStrategy,
  type StrategyConfig,
  unknownName,
} from '@ids/core';
import type { Encoded } from '@ids/encode';
import type { GeneratorConfig, generatorEntries, IdsConfig } from './ids-config.js';
import { type LoadConfigOptions, readConfig } from './load-config.js';
import { planGenerators } from './plan-generators.js';

export interface OpenIdsOptions<S extends IdStrategy, Config extends IdsConfig> extends LoadConfigOptions {
  /** The strategies that a config may name. Only these are part of the application. */
  readonly strategies: readonly S[];
  /** Given in code, whole: neither a file nor the environment is looked at. The compiler checks strategies and options. */
  readonly config?: Config & CheckedConfig<S, Config>;
}

interface CheckedConfig<S extends IdStrategy, Config extends IdsConfig> {
  readonly generators: {
    readonly [Name in keyof Config['generators']]: CheckedGenerator<S, Config['generators'][Name]>;
  };
}

type Keys<T> = T extends T ? keyof T : never;

/** What the compiler can say of a generator it knows in full; what stands at the top of the config is not asked for again. */
type CheckedGenerator<S extends IdStrategy, C extends GeneratorConfig> = string extends
  | keyof C
  | C['strategy']
  ? unknown
  : StrategyConfig<Extract<S, { readonly name: C['strategy'] }>> extends infer Options
    ? { readonly strategy: S['name'] } & Partial<Options> & {
          readonly [Unknown in Exclude<keyof C, Keys<Options> | keyof typeof generatorEntries>]: never;
        }
    : never;

/** The open generators of a service. */
export interface OpenedIds<Generators extends Readonly<Record<string, IdGenerator>>> extends AsyncDisposable {
  /** Throws `ERR_IDS_CONFIG` for a name that is not in the config. */
  get<Name extends keyof Generators & string>(name: Name): Generators[Name];
  /** Closes all generators. Idempotent. */
  close(): Promise<void>;
}

/** With `encode`, texts; where the config is not known to the type checker, either. */
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
 * Opens every generator of a config: given in code, or else read from `ids.config.*` with the environment laid over it.
 * Everything is validated, and needs are checked, before the first connection is made; when one generator cannot be
 * opened the others are closed again.
 */
export async function openIds<S extends IdStrategy, const Config extends IdsConfig = IdsConfig>(
  options: OpenIdsOptions<S, Config>,
): Promise<OpenedIds<GeneratorsOf<S, Config>>> {
  const { config, problems } =
    options.config === undefined ? await readConfig(options) : { config: options.config, problems: [] };
  const plans = planGenerators(options.strategies, config, problems);
  const opened = await Promise.allSettled(
    [...plans].map(async ([name, plan]): Promise<[string, IdGenerator]> => [name, await plan.create()]),
  );
  const generators = new Map(
    opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
  );
  const close = async (): Promise<void> => {
    await Promise.all([...generators.values()].map((generator) => generator.close()));
  };
  const failed = opened.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await close();
    throw failed.reason;
  }
  return {
    get(name) {
      const generator = generators.get(name);
      if (generator === undefined) {
        throw new IdError('ERR_IDS_CONFIG', unknownName('generator', name, [...generators.keys()]));
      }
      return generator as unknown as GeneratorsOf<S, Config>[typeof name];
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
