import { type IdsOrOptions, openOrTake, type ServiceIds } from '@ids/config/plugin';
import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import type { DynamicModule, FactoryProvider, ModuleMetadata } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { IdsHost } from './ids-host.js';
import { idsToken, keyedIdsToken } from './tokens.js';

/** What can be injected. The config is not read yet when Nest must know it, and may name more. */
interface InjectedIds {
  /** The names of generators for `@InjectIds(name)`. */
  readonly generators?: readonly string[];
  /** The names of keyed generators for `@InjectKeyedIds(name)`. */
  readonly keyedGenerators?: readonly string[];
}

/**
 * What to open, as for `openIds` of `@ids/config`; or `ids`, which the caller opened, and closes after the
 * application.
 */
export type IdsModuleOptions = IdsOrOptions & InjectedIds;

export interface IdsModuleAsyncOptions extends InjectedIds, Pick<ModuleMetadata, 'imports'> {
  /** Returns what `forRoot` gets, but not what can be injected. */
  readonly useFactory: FactoryProvider<IdsOrOptions>['useFactory'];
  /** What to pass to `useFactory`. */
  readonly inject?: FactoryProvider['inject'];
}

/**
 * Ids for a Nest application. What the module opened, it closes at shutdown, after the HTTP server. Factories
 * in place of `@Injectable` classes, so that it runs wherever types are just stripped.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: Nest identifies modules by classes
export class IdsModule {
  /**
   * A global module: `imports: [IdsModule.forRoot({ strategies: [objectid], generators: ['order'] })]`. The
   * application does not start if `openIds` fails, or with `ERR_IDS_CONFIG` if an option is wrong or the
   * config has no generator of one of the names.
   */
  static forRoot(options: IdsModuleOptions): DynamicModule {
    return moduleOf({ ...injectedBy(options), useFactory: () => options });
  }

  /** The same, with options that depend on other providers, such as a `ConfigService`. */
  static forRootAsync(options: IdsModuleAsyncOptions): DynamicModule {
    return moduleOf({ ...options, ...injectedBy(options) });
  }
}

function moduleOf(options: IdsModuleAsyncOptions & Required<InjectedIds>): DynamicModule {
  const { imports = [], inject = [], useFactory } = options;
  const found = new Map<string, (ids: ServiceIds) => unknown>([[idsToken(), (ids) => ids]]);
  for (const name of options.generators) found.set(idsToken(name), (ids) => ids.get(name));
  for (const name of options.keyedGenerators) found.set(keyedIdsToken(name), (ids) => ids.keyed(name));
  const open = async (http: HttpAdapterHost, ...injected: unknown[]): Promise<IdsHost> => {
    const held = await openOrTake('@ids/nestjs', await useFactory(...injected));
    try {
      // Here, since nobody would close them once Nest has failed to start.
      for (const find of found.values()) find(held.ids);
    } catch (error) {
      await held.release();
      throw error;
    }
    return new IdsHost(held, http);
  };
  return {
    module: IdsModule,
    global: true,
    imports,
    providers: [
      { provide: IdsHost, useFactory: open, inject: [HttpAdapterHost, ...inject] },
      ...[...found].map(([provide, find]) => ({
        provide,
        useFactory: ({ held }: IdsHost) => find(held.ids),
        inject: [IdsHost],
      })),
    ],
    exports: [...found.keys()],
  };
}

/** Throws `ERR_IDS_CONFIG` if the names are not lists. */
function injectedBy(options: InjectedIds | undefined): Required<InjectedIds> {
  const { generators = [], keyedGenerators = [] } = options ?? {};
  for (const [option, names] of Object.entries({ generators, keyedGenerators })) {
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) continue;
    const rule = 'must be a list of names, such as ["order"]';
    throw new IdError('ERR_IDS_CONFIG', `@ids/nestjs: ${option}: ${rule}, got ${formatValue(names)}`);
  }
  return { generators, keyedGenerators };
}
