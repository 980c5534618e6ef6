import type { Guarantees } from './guarantees.js';
import type { IdGenerator } from './id-generator.js';

/**
 * The Standard Schema interface, version 1 (https://standardschema.dev): what valibot, zod and arktype
 * schemas have in common. Restated here, as its authors suggest, so that the contract has no dependency.
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

/**
 * One fact that can be read out of an id, for people: `{ name: 'time', value: '2017-11-24T06:19:05.000Z' }`.
 */
export interface IdPart {
  /** Short and stable, so that scripts may select by it: `time`, `machine`, `counter`. */
  readonly name: string;
  readonly value: string;
  /** What a reader should know about this part: `local 14:19:05`, `low 16 bits`. */
  readonly note?: string;
}

/** The table that a generator uses. */
export interface StrategyTable {
  /** As in its options or by default: `id_segment`, `shop.id_segment`. */
  readonly name: string;
  /** What its rows are, in the plural: `sequences`. Rows of two kinds cannot be in one table. */
  readonly rows: string;
}

/** Options that decide which type of ids a generator gives, and the generator that has them. */
export type GeneratorVariant = readonly [input: object, generator: IdGenerator];

/**
 * A way of making ids, as a value that can be put into a list. `Input` is what a user writes, `Options` what
 * validation makes of it (defaults filled in). `Variants`, for the type checker only, lists the generators
 * of a strategy whose options choose the type of generator: the default first, with all of these options.
 */
export interface IdStrategy<
  Name extends string = string,
  Input = unknown,
  Options = unknown,
  Generator extends IdGenerator = IdGenerator,
  Variants extends readonly GeneratorVariant[] = readonly GeneratorVariant[],
> {
  readonly name: Name;
  /** Never present: carries `Variants` to the type checker. */
  readonly variants?: Variants;
  /** Validates options, synchronously. Any Standard Schema will do. */
  readonly options: StandardSchemaV1<Input, Options>;
  /** The names of all options: an unknown one is refused with the nearest of these. */
  readonly optionNames: readonly string[];
  /** Options that a first config needs, to be changed by the user; absent where none is required. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Known before anything is opened, so that needs can be checked first. */
  guarantees(options: Options): Guarantees;
  /** The table that a generator with these options uses in its `database`; absent or `undefined`: none. */
  table?(options: Options): StrategyTable | undefined;
  /** Opens what the strategy needs; rejects, with nothing left open, when that cannot work. */
  create(options: Options): Promise<Generator>;
  /**
   * What an id reveals by itself, without any I/O, read with the `options` of its generator where they are
   * known; `undefined` when this strategy cannot have issued it. Never throws. Absent where an id reveals
   * nothing.
   */
  inspect?(text: string, options?: Readonly<Record<string, unknown>>): readonly IdPart[] | undefined;
}
