import { ruleMessage } from '@ids/core/strategy';
import type { SequenceGroup, SequenceOptions } from '@ids/segment';
import { type SourceOptions, segmentOptionsSchema } from '@ids/segment/sql';
import * as v from 'valibot';
import { generatorOptions, type KeyOptions, keyOptions } from './generator-options.js';

/** What a user writes. Exactly one of `database` and `source`. */
export interface SegmentInprocOptions extends SequenceOptions, SourceOptions {
  /** Ids increase within this generator, and come from segments in memory, without a wait. */
  readonly order?: 'increasing' | undefined;
  /**
   * The groups that the sequence must have, so that a wrong day or zone is detected at the start. By default,
   * any groups are accepted.
   */
  readonly group?: SequenceGroup | undefined;
}

/** What a user writes for ids that increase across all processes. */
export interface OrderedSegmentInprocOptions extends Omit<SegmentInprocOptions, 'order' | 'minStep'> {
  /**
   * Each burst of calls waits for a reservation of its own, of at most `maxStep` ids, and nothing is held in
   * memory: there is no `nextSync`.
   */
  readonly order: 'real-time';
  /** Has no meaning here: a reservation is as large as the burst. */
  readonly minStep?: undefined;
}

const { schema, names } = segmentOptionsSchema(
  {
    ...generatorOptions,
    keyed: v.optional(v.boolean(ruleMessage('must be true or false'))),
    ...keyOptions,
  },
  ({ order }) => order === 'increasing',
);

/** The names of all options. */
export const optionNames = names;

/** The schema of all options. */
export const optionsSchema = v.pipe(
  schema,
  v.check(
    (options) => keyedProblem(options) === undefined,
    ({ input }) => keyedProblem(input) ?? '',
  ),
);

/** What a user writes for sequences by key, which are in real-time order within each key. */
export interface KeyedSegmentInprocOptions
  extends Omit<OrderedSegmentInprocOptions, 'source' | 'onEvent'>,
    KeyOptions {
  readonly keyed: true;
}

/** The options with defaults. */
export type ParsedOptions = v.InferOutput<typeof schema>;

/** Why options for sequences by key do not go together; undefined if they do. */
function keyedProblem(options: ParsedOptions): string | undefined {
  const { keyed = false, order, accept, maxNewKeysPerSecond, source } = options;
  if (!keyed) {
    if (accept !== undefined) return 'option "accept": belongs to "keyed": true';
    if (maxNewKeysPerSecond !== undefined) return 'option "maxNewKeysPerSecond": belongs to "keyed": true';
    return undefined;
  }
  if (order !== 'real-time') return 'option "keyed": needs "order": "real-time"';
  if (source !== undefined) return 'option "source": a sequence by key needs a "database"';
  return undefined;
}
