import type { DispenserOptions } from '@ids/segment';
import { type SourceOptions, segmentOptionsSchema } from '@ids/segment/sql';
import type * as v from 'valibot';

/** What a user writes. Exactly one of `database` and `source`. */
export interface SegmentInprocOptions extends DispenserOptions, SourceOptions {}

export const optionsSchema = segmentOptionsSchema({});

export const optionNames = Object.keys(optionsSchema.pipe[0].entries);

/** The options with their defaults filled in. */
export type ParsedOptions = v.InferOutput<typeof optionsSchema>;
