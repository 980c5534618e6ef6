import { type DispenserOptions, groupProblem, type SequenceGroup } from '@ids/segment';
import { type SourceOptions, segmentOptionsSchema } from '@ids/segment/sql';
import * as v from 'valibot';

/** What a user writes. Exactly one of `database` and `source`. */
export interface SegmentInprocOptions extends DispenserOptions, SourceOptions {
  /**
   * The groups that the sequence must have been created with, so that a wrong day or zone is noticed at the
   * start. Left out, those it has are taken.
   */
  readonly group?: SequenceGroup | undefined;
}

export const { schema: optionsSchema, names: optionNames } = segmentOptionsSchema({
  group: v.optional(
    v.custom<SequenceGroup>(
      (value) => groupProblem(value) === undefined,
      ({ input }) => groupProblem(input) ?? '',
    ),
  ),
});

/** The options with their defaults filled in. */
export type ParsedOptions = v.InferOutput<typeof optionsSchema>;
