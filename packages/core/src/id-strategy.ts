import type { Guarantees } from './guarantees.js';
import type { IdGenerator } from './id-generator.js';
import type { IdPart } from './id-part.js';
import type { KeyedIdGenerator } from './keyed-id-generator.js';
import type { StrategyStore, TimedIds } from './strategy-store.js';

/**
 * Version 1 of the Standard Schema interface (https://standardschema.dev), which valibot, zod and arktype
 * schemas implement. Copied here, as its authors suggest, to avoid a dependency.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Options that determine the type of the ids, and the resulting type of generator. */
export type GeneratorVariant = readonly [input: object, generator: IdGenerator];

/**
 * A way to issue ids, as a value. `Input` is what users write; `Options` is the result of validation, with
 * defaults filled in. `Variants`, used by the type checker only, lists the generator types of a strategy
 * whose options select one: the default first, and with all of those options.
 */
export interface IdStrategy<
  Name extends string = string,
  Input = unknown,
  Options = unknown,
  Generator extends IdGenerator = IdGenerator,
  Variants extends readonly GeneratorVariant[] = readonly GeneratorVariant[],
> {
  readonly name: Name;
  /** Never set: carries `Variants` for the type checker. */
  readonly variants?: Variants;
  /** Validates options, synchronously. Any Standard Schema works. */
  readonly options: StandardSchemaV1<Input, Options>;
  /** The names of all options. An unknown option is rejected, with the nearest of these as a suggestion. */
  readonly optionNames: readonly string[];
  /** The required options with example values, for a first config; absent if none are required. */
  readonly example?: Readonly<Record<string, unknown>>;
  /**
   * The guarantees of a generator with these options, known before anything is opened so that needs can be
   * checked first.
   */
  guarantees(options: Options): Guarantees;
  /**
   * The table that a generator with these options keeps in its `database`; `undefined` if it keeps none.
   * Opens nothing. Command lines create, check and read the table through it.
   */
  store?(options: Options): StrategyStore | undefined;
  /** How the ids of a generator with these options depend on the time; absent if no tool needs to know. */
  timed?(options: Options): TimedIds | undefined;
  /** Opens the generator with everything it needs. If that fails, rejects and leaves nothing open. */
  create(options: Options): Promise<Generator>;
  /**
   * The same for options with `keyed: true`, for which `guarantees` says `within: 'key'` and `create` rejects
   * with `ERR_IDS_CONFIG`. Absent if the strategy has no sequences by key.
   */
  createKeyed?(options: Options): Promise<KeyedIdGenerator>;
  /**
   * What an id reveals on its own, without I/O; `options` are those of its generator, if known. Returns
   * `undefined` if this strategy cannot have issued `text`. Never throws. Absent if ids reveal nothing.
   */
  inspect?(text: string, options?: Readonly<Record<string, unknown>>): readonly IdPart[] | undefined;
}
