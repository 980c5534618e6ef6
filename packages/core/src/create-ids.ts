import type { Guarantees } from './guarantees.js';
import { IdError } from './id-error.js';
import type { IdGenerator } from './id-generator.js';
import type { IdStrategy, SchemaIssue } from './id-strategy.js';
import type { KeyedIdGenerator } from './keyed-id-generator.js';
import type { StrategyStore, TimedIds } from './strategy-store.js';
import { formatValue, unknownNameMessage } from './wording.js';

/** What a user writes for a strategy: its name and its options. */
export type StrategyConfig<S> =
  S extends IdStrategy<infer Name, infer Input> ? { readonly strategy: Name } & Input : never;

/**
 * The first variant that accepts `C`; the first of all if `C` has none of its options; `G` if there are no
 * variants.
 */
type ChosenGenerator<Variants, C, G> = Variants extends readonly [
  readonly [infer Input, infer Default],
  ...infer _Rest,
]
  ? [keyof C & keyof Input] extends [never]
    ? Default
    : MatchingGenerator<Variants, C, G>
  : G;

type MatchingGenerator<Variants, C, G> = Variants extends readonly [
  readonly [infer Input, infer Matching],
  ...infer Rest,
]
  ? C extends Input
    ? Matching
    : MatchingGenerator<Rest, C, G>
  : G;

/** The type of the generator that config `C` creates, given the strategies `S`. */
export type GeneratorFor<S, C extends { readonly strategy: string }> =
  Extract<S, { readonly name: C['strategy'] }> extends infer Chosen
    ? Chosen extends IdStrategy<string, infer _Input, infer _Options, infer G, infer Variants>
      ? ChosenGenerator<Variants, C, G>
      : never
    : never;

/** The type of the keyed generator that config `C`, with `keyed: true`, creates, given the strategies `S`. */
export type KeyedGeneratorFor<S, C extends { readonly strategy: string }> =
  GeneratorFor<S, C> extends IdGenerator<infer T> ? KeyedIdGenerator<T> : never;

/** A strategy with validated options. Nothing is opened yet. */
export interface PlannedGenerator<Generator extends IdGenerator = IdGenerator> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  /** The table it will use; undefined if it needs none. */
  readonly store?: StrategyStore | undefined;
  /** How its ids depend on the time; undefined if that is not known. */
  readonly timed?: TimedIds | undefined;
  create(): Promise<Generator>;
  /** Opens a keyed generator, which `create` cannot. Undefined unless the options describe one. */
  readonly createKeyed?: (() => Promise<KeyedIdGenerator>) | undefined;
}

/** The strategies known to an application. Types follow from the list passed to `createIds`. */
export interface Ids<S extends IdStrategy> {
  readonly strategies: readonly S[];
  /** Validates `config` and opens nothing. Throws `ERR_IDS_CONFIG` if it is invalid. */
  plan<const C extends StrategyConfig<S>>(config: C): PlannedGenerator<GeneratorFor<S, C>>;
  /** Validates `config`, then opens the generator. The caller must close it. */
  create<const C extends StrategyConfig<S>>(config: C): Promise<GeneratorFor<S, C>>;
  /**
   * The same for a config with `keyed: true`. Rejects with `ERR_IDS_CONFIG` for others, as `create` does for
   * such a config.
   */
  createKeyed<const C extends StrategyConfig<S>>(config: C): Promise<KeyedGeneratorFor<S, C>>;
}

/**
 * Makes the strategies selectable by name. There is no registry: only strategies that the application
 * imported and listed are available.
 */
export function createIds<const S extends IdStrategy>(strategies: readonly S[]): Ids<S> {
  const byName = new Map(strategies.map((strategy) => [strategy.name, strategy]));
  if (byName.size !== strategies.length) {
    throw new TypeError(`strategy names must differ, got: ${strategies.map(({ name }) => name).join(', ')}`);
  }

  function plan({ strategy: name, ...input }: { readonly strategy: string }): PlannedGenerator {
    const strategy = byName.get(name);
    if (strategy === undefined) {
      throw new IdError('ERR_IDS_CONFIG', unknownNameMessage('strategy', String(name), [...byName.keys()]));
    }
    const options = parseOptions(strategy, input);
    return {
      strategy: name,
      guarantees: strategy.guarantees(options),
      store: strategy.store?.(options),
      timed: strategy.timed?.(options),
      create: strategy.create.bind(strategy, options),
      createKeyed: keyedFactory(strategy, options),
    };
  }

  async function createKeyed(config: { readonly strategy: string }): Promise<KeyedIdGenerator> {
    const { strategy, createKeyed: open } = plan(config);
    if (open !== undefined) return open();
    const why =
      byName.get(strategy)?.createKeyed === undefined
        ? 'has no sequences by key'
        : 'option "keyed": must be true here';
    throw new IdError('ERR_IDS_CONFIG', `${strategy}: ${why}`);
  }

  return {
    strategies,
    plan: plan as Ids<S>['plan'],
    create: (async (config: { readonly strategy: string }) => plan(config).create()) as Ids<S>['create'],
    createKeyed: createKeyed as Ids<S>['createKeyed'],
  };
}

/** Undefined unless these options describe a keyed generator. */
function keyedFactory<Options>(
  strategy: IdStrategy<string, unknown, Options>,
  options: Options,
): PlannedGenerator['createKeyed'] {
  const { createKeyed } = strategy;
  if (createKeyed === undefined || strategy.guarantees(options).within !== 'key') return undefined;
  return createKeyed.bind(strategy, options);
}

/**
 * Validates `input` and returns the options with defaults filled in. Throws a single `ERR_IDS_CONFIG` that
 * lists all problems, one per line, each with the option, its value and what is accepted.
 */
export function parseOptions<Options>(
  {
    name,
    options,
    optionNames,
  }: Pick<IdStrategy<string, unknown, Options>, 'name' | 'options' | 'optionNames'>,
  input: unknown,
): Options {
  if (Array.isArray(input) || (input !== undefined && input !== Object(input))) {
    // A string may be a URL with a password.
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${name}: options must be an object, got ${typeof input === 'string' ? 'a string' : formatValue(input)}`,
    );
  }
  const unknown = Object.keys(input ?? {})
    .filter((key) => !optionNames.includes(key))
    .map((key) => unknownNameMessage('option', key, optionNames));
  const result = options['~standard'].validate(input);
  if (result instanceof Promise) throw new TypeError(`${name}: options must be validated synchronously`);
  const problems = [...unknown, ...(result.issues ?? []).map(describeIssue)];
  if (result.issues === undefined && problems.length === 0) return result.value;
  throw new IdError('ERR_IDS_CONFIG', problems.map((problem) => `${name}: ${problem}`).join('\n'));
}

function describeIssue({ path = [], message }: SchemaIssue): string {
  if (path.length === 0) return message;
  const keys = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment));
  // What the schema library of the strategies here says of an option that is missing.
  const problem = message.startsWith('Invalid key:') ? 'is required' : message;
  return `option "${keys.join('.')}": ${problem}`;
}
