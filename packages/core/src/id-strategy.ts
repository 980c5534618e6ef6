import type { Guarantees } from './guarantees.js';
import type { IdGenerator } from './id-generator.js';
import type { IdPart } from './id-inspection.js';
import type { StandardSchemaV1 } from './standard-schema.js';

/**
 * A way of making ids, as a value that can stand in a list. `Input` is what a user writes, `Options` what
 * validation makes of it (defaults filled in).
 */
export interface IdStrategy<
  Name extends string = string,
  Input = unknown,
  Options = unknown,
  Generator extends IdGenerator = IdGenerator,
> {
  readonly name: Name;
  /** Validates options, synchronously. Any Standard Schema will do. */
  readonly options: StandardSchemaV1<Input, Options>;
  /** The names of all options: an unknown one is refused with the nearest of these. */
  readonly optionNames: readonly string[];
  /** Known before anything is opened, so that needs can be checked first. */
  guarantees(options: Options): Guarantees;
  /** Opens what the strategy needs; rejects, with nothing left open, when that cannot work. */
  create(options: Options): Promise<Generator>;
  /**
   * What the text of an id says by itself, without any I/O; `undefined` when this strategy cannot have issued
   * it. Never throws. Absent where an id says nothing.
   */
  inspect?(text: string): readonly IdPart[] | undefined;
}
