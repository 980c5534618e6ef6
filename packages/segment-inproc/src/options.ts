import { type DispenserOptions, dispenserOptions, stepProblem } from '@ids/segment';
import { type SourceOptions, sourceOptions, sourceProblem } from '@ids/segment/sql';
import * as v from 'valibot';

/** What a user writes. Exactly one of `database` and `source`. */
export interface SegmentInprocOptions extends DispenserOptions, SourceOptions {}

const entries = { ...dispenserOptions, ...sourceOptions };

export const optionNames = Object.keys(entries);

export const optionsSchema = v.pipe(
  v.object(entries),
  v.check(
    (options) => stepProblem(options) === undefined,
    ({ input }) => stepProblem(input) ?? '',
  ),
  v.check(
    (options) => sourceProblem(options) === undefined,
    ({ input }) => sourceProblem(input) ?? '',
  ),
);

/** The options with their defaults filled in. */
export type ParsedOptions = v.InferOutput<typeof optionsSchema>;
