import {
  type GeneratorFor,
  type Id,
  IdError,
  type IdGenerator,
  type IdStrategy,
  type KeyedGeneratorFor,
  type KeyedIdGenerator,
  type SyncIdGenerator,
} from '@ids/core';
import { unknownNameMessage } from '@ids/core/strategy';
import type { Encoded, EncodedKeyed } from '@ids/encode';
import type { GeneratorConfig, IdsConfig } from './ids-config.js';
import { withoutKeys } from './keyed-strategies.js';
import { type Needs, unmetNeeds } from './needs.js';
import type { OpenGenerator } from './open-generator.js';
import type { ConfiguredSeries, PlannedSeries } from './series/plan-series.js';

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

/** The type of a keyed generator that was found to meet needs `N`. */
export type KeyedGeneratorMeeting<N extends Needs> = KeyedIdGenerator<IdMeeting<N>>;

/** The open generators of a service. */
export interface OpenedIds<
  Generators extends Readonly<Record<string, IdGenerator>>,
  Keyed extends Readonly<Record<string, KeyedIdGenerator>> = Readonly<Record<string, KeyedIdGenerator>>,
  Series extends string = string,
> extends AsyncDisposable {
  /** Returns the generator with this name. Throws `ERR_IDS_CONFIG` if the config has none. */
  get<Name extends keyof Generators & string>(name: Name): Generators[Name];
  /**
   * The same, for code that does not know the type of the config: the generator is typed by the needs, such
   * as `{ type: 'number', sync: true }`. Throws `ERR_IDS_UNMET`, which lists what is missing, if the
   * generator's guarantees do not meet `needs`, or if it is keyed.
   */
  get<const N extends Needs>(name: keyof Generators & string, needs: N): GeneratorMeeting<N>;
  /** Returns the keyed generator with this name. Throws like `get`. */
  keyed<Name extends keyof Keyed & string>(name: Name): Keyed[Name];
  /**
   * The same, typed by the needs, such as `{ type: 'number' }`, which must be met within a key. Throws
   * `ERR_IDS_UNMET` if they are not, or if the generator is not keyed.
   */
  keyed<const N extends Needs>(name: keyof Keyed & string, needs: N): KeyedGeneratorMeeting<N>;
  /**
   * The series with this name, for `nextWithin(tx, series, key)` of `@ids/gapless`. Throws `ERR_IDS_CONFIG`
   * if the config has none.
   */
  series(name: Series): ConfiguredSeries;
  /** All generators by name, for health endpoints and metrics; without the keyed ones. */
  readonly generators: Readonly<Record<string, IdGenerator>>;
  /** All keyed generators by name, for the same. */
  readonly keyedGenerators: Readonly<Record<string, KeyedIdGenerator>>;
  /** Closes all generators. Idempotent. */
  close(): Promise<void>;
}

/** Whether a generator is keyed; `boolean` if the type checker does not know. */
type IsKeyed<C> = 'keyed' extends keyof C
  ? C extends { readonly keyed: true }
    ? true
    : C extends { readonly keyed: false | undefined }
      ? false
      : boolean
  : false;

/** With `encode`, the generator issues strings; a union if the type checker does not know the config. */
type OpenedGenerator<S extends IdStrategy, C extends GeneratorConfig> =
  GeneratorFor<S, C> extends infer G extends IdGenerator
    ? C extends { readonly encode: object }
      ? Encoded<G>
      : 'encode' extends keyof C
        ? G | Encoded<G>
        : G
    : never;

type OpenedKeyed<S extends IdStrategy, C extends GeneratorConfig> =
  KeyedGeneratorFor<S, C> extends infer G extends KeyedIdGenerator
    ? C extends { readonly encode: object }
      ? EncodedKeyed<G extends KeyedIdGenerator<infer T> ? T : never>
      : 'encode' extends keyof C
        ? G | EncodedKeyed<G extends KeyedIdGenerator<infer T> ? T : never>
        : G
    : never;

/** The generators of a config that are not keyed. */
export type GeneratorsOf<S extends IdStrategy, Config extends IdsConfig> = {
  readonly [Name in keyof Config['generators'] as IsKeyed<Config['generators'][Name]> extends true
    ? never
    : Name]: OpenedGenerator<S, Config['generators'][Name]>;
};

/** Those that are. */
export type KeyedGeneratorsOf<S extends IdStrategy, Config extends IdsConfig> = {
  readonly [Name in keyof Config['generators'] as IsKeyed<Config['generators'][Name]> extends false
    ? never
    : Name]: OpenedKeyed<S, Config['generators'][Name]>;
};

/** The names of the series of a config. */
export type SeriesOf<Config extends IdsConfig> = keyof NonNullable<Config['series']> & string;

/** `get` and `keyed` of the generators of a config. */
export function readersOf(open: readonly OpenGenerator[], strategies: readonly IdStrategy[]) {
  const find = (name: string): OpenGenerator => {
    const found = open.find((one) => one.name === name);
    if (found !== undefined) return found;
    const names = open.map((one) => one.name);
    throw new IdError('ERR_IDS_CONFIG', unknownNameMessage('generator', name, names));
  };
  const fits = ({ name, generator }: OpenGenerator, needs: Needs, otherKind: readonly string[]): void => {
    const unmet = [...otherKind, ...unmetNeeds(needs, generator.guarantees)];
    if (unmet.length === 0) return;
    const message = `generators.${name}: ${generator.strategy} does not fit: ${unmet.join('; ')}`;
    throw new IdError('ERR_IDS_UNMET', message);
  };
  return {
    get(name: string, needs: Needs = {}): IdGenerator {
      const found = find(name);
      const read = `keys: needs one sequence, offers one for each key: read it with keyed("${name}")`;
      fits(found, needs, found.keyed ? [read] : []);
      return found.generator as IdGenerator;
    },
    keyed(name: string, needs: Needs = {}): KeyedIdGenerator {
      const found = find(name);
      const instead =
        withoutKeys(strategies, found.generator.strategy) ??
        `set "keyed": true, or read it with get("${name}")`;
      const kind = `keys: needs a sequence for each key, offers one sequence: ${instead}`;
      fits(found, needs, found.keyed ? [] : [kind]);
      return found.generator as KeyedIdGenerator;
    },
  };
}

/** `series` of a config. */
export function seriesReaderOf(plans: ReadonlyMap<string, PlannedSeries>) {
  return (name: string): ConfiguredSeries => {
    const found = plans.get(name);
    if (found !== undefined) return found.series;
    throw new IdError('ERR_IDS_CONFIG', unknownNameMessage('series', name, [...plans.keys()]));
  };
}
