import type { Guarantees } from './guarantees.js';
import { IdError } from './id-error.js';
import type { Id, IdGenerator, SyncIdGenerator } from './id-generator.js';
import { type IdStrategy, parseOptions } from './id-strategy.js';
import { unknownName } from './wording.js';

/** What a user writes for a strategy: its name and its options. */
export type StrategyConfig<S> =
  S extends IdStrategy<infer Name, infer Input> ? { readonly strategy: Name } & Input : never;

/** The generator type that a strategy creates. */
export type GeneratorOf<S> =
  S extends IdStrategy<string, infer _Input, infer _Options, infer Generator> ? Generator : IdGenerator;

interface IdTypes {
  number: number;
  bigint: bigint;
  string: string;
}

/** Where a strategy offers ids of several types its option `as` names one, `number` when it is not given. */
type ChosenId<T, C> = C extends { readonly as: infer As extends keyof IdTypes }
  ? Extract<T, IdTypes[As]>
  : 'as' extends keyof C
    ? T
    : Extract<T, number>;

type WithChosenId<G, T extends Id, C> = [T] extends [string] | [number] | [bigint]
  ? G
  : Own<G> &
      (G extends SyncIdGenerator ? SyncIdGenerator<ChosenId<T, C> & Id> : IdGenerator<ChosenId<T, C> & Id>);

/** What a strategy's generators have beside the contract. */
type Own<G> = [keyof G] extends [keyof SyncIdGenerator] ? unknown : Omit<G, keyof SyncIdGenerator>;

/** The generator that the config `C`, known to the type checker, creates of one of the strategies `S`. */
export type GeneratorFor<S, C extends { readonly strategy: string }> =
  GeneratorOf<Extract<S, { readonly name: C['strategy'] }>> extends infer G
    ? G extends IdGenerator<infer T>
      ? WithChosenId<G, T, C>
      : never
    : never;

/** A strategy with its options validated, nothing opened yet. */
export interface PlannedGenerator<Generator extends IdGenerator = IdGenerator> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  create(): Promise<Generator>;
}

/** The strategies an application knows. Types follow the list that was handed in. */
export interface Ids<S extends IdStrategy> {
  readonly strategies: readonly S[];
  /** Validates `config` without opening anything: throws `ERR_IDS_CONFIG`. */
  plan<const C extends StrategyConfig<S>>(config: C): PlannedGenerator<GeneratorFor<S, C>>;
  /** Validates `config`, then opens the generator; the caller closes it. */
  create<const C extends StrategyConfig<S>>(config: C): Promise<GeneratorFor<S, C>>;
}

/**
 * Collects strategies so that one can be chosen by name. The application hands in the list: there is no
 * registry, and nothing is imported that the application did not import itself.
 */
export function createIds<const S extends IdStrategy>(strategies: readonly S[]): Ids<S> {
  const byName = new Map(strategies.map((strategy) => [strategy.name, strategy]));
  if (byName.size !== strategies.length) {
    throw new TypeError(`strategy names must differ, got: ${strategies.map(({ name }) => name).join(', ')}`);
  }

  function plan({ strategy: name, ...input }: { readonly strategy: string }): PlannedGenerator {
    const strategy = byName.get(name);
    if (strategy === undefined) {
      throw new IdError('ERR_IDS_CONFIG', unknownName('strategy', String(name), [...byName.keys()]));
    }
    const options = parseOptions(strategy, input);
    return {
      strategy: name,
      guarantees: strategy.guarantees(options),
      create: () => strategy.create(options),
    };
  }

  return {
    strategies,
    plan: plan as Ids<S>['plan'],
    create: (async (config: { readonly strategy: string }) => plan(config).create()) as Ids<S>['create'],
  };
}
