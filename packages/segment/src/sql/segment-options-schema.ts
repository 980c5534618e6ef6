import * as v from 'valibot';
import {
  type DispenserOptions,
  dispenserOptions,
  type ParsedDispenserOptions,
  stepProblem,
} from '../dispenser-options.js';
import { type SourceOptions, sourceProblem } from './open-source.js';
import { sourceOptions } from './source-options.js';

type Replaced<Shared, Own> = Omit<Shared, keyof Own> & Own;
type Shared = ParsedDispenserOptions & SourceOptions;

/**
 * What a user writes for a strategy that dispenses from segments, with the entries `Own` of that strategy.
 */
export type SegmentOptions<Own extends v.ObjectEntries> = Replaced<
  DispenserOptions & SourceOptions,
  v.InferInput<v.ObjectSchema<Own, undefined>>
>;

/** The same with its defaults filled in. */
export type ParsedSegmentOptions<Own extends v.ObjectEntries> = Replaced<
  Shared,
  v.InferOutput<v.ObjectSchema<Own, undefined>>
>;

export interface SegmentOptionsSchema<Own extends v.ObjectEntries> {
  readonly schema: v.GenericSchema<SegmentOptions<Own>, ParsedSegmentOptions<Own>>;
  /** The names of all options. */
  readonly names: readonly string[];
}

/**
 * The schema of a strategy that dispenses from segments: the options all of them have, and `own` ones. Its
 * type is written out: the compiler's own is hundreds of kilobytes long.
 */
export function segmentOptionsSchema<const Own extends v.ObjectEntries>(own: Own): SegmentOptionsSchema<Own> {
  const entries = { ...dispenserOptions, ...sourceOptions, ...own };
  const problem = (options: unknown) => stepProblem(options as Shared) ?? sourceProblem(options as Shared);
  const schema = v.pipe(
    v.object(entries),
    v.check(
      (options) => problem(options) === undefined,
      ({ input }) => problem(input) ?? '',
    ),
  );
  return { schema: schema as unknown as SegmentOptionsSchema<Own>['schema'], names: Object.keys(entries) };
}
