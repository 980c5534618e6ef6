// For runtimes without modules of Node.js, such as Cloudflare Workers, and for bundles with one kind of
// database: nothing but the source that is given.
import { formatValue, parseOptions } from '@ids/core/strategy';
import {
  type IdTypeName,
  type IdTypes,
  isSegmentSource,
  type SegmentSource,
  type SequenceGroup,
  type SequenceOptions,
  sequenceOptions,
  stepProblem,
} from '@ids/segment';
import * as v from 'valibot';
import type { OrderedSegmentInprocIdGenerator, SegmentInprocIdGenerator } from './generator.js';
import { generatorOptions } from './generator-options.js';
import { openGenerator } from './open-generator.js';

export { createKeyedSegmentInprocGenerator, type KeyedEdgeSegmentOptions } from './edge-keyed.js';
export type { OrderedSegmentInprocIdGenerator, SegmentInprocIdGenerator } from './generator.js';

/** What a user writes. */
export interface EdgeSegmentOptions extends SequenceOptions {
  /** A source, which the caller closes, such as a `SqliteSegmentSource`. */
  readonly source: SegmentSource;
  /** Ids increase within this generator, and come from segments in memory, without a wait. */
  readonly order?: 'increasing' | undefined;
  /** The groups that the sequence must have. By default, any groups are accepted. */
  readonly group?: SequenceGroup | undefined;
}

/** What a user writes for ids that increase across all isolates. */
export interface OrderedEdgeSegmentOptions extends Omit<EdgeSegmentOptions, 'order' | 'minStep'> {
  /**
   * Each burst of calls waits for a reservation of its own, of at most `maxStep` ids, and nothing is held in
   * memory: there is no `nextSync`.
   */
  readonly order: 'real-time';
  /** Has no meaning here: a reservation is as large as the burst. */
  readonly minStep?: undefined;
}

const entries = {
  ...sequenceOptions,
  source: v.custom<SegmentSource>(
    isSegmentSource,
    ({ input }) => `must be a SegmentSource (describe, reserve, close), got ${formatValue(input)}`,
  ),
  ...generatorOptions,
};

const problem = (options: {
  readonly order: string;
  readonly minStep: number;
  readonly maxStep: number;
  readonly maxIdsLost?: number | undefined;
}) => (options.order === 'real-time' ? undefined : stepProblem(options));

const edge = {
  name: 'segment-inproc',
  options: v.pipe(
    v.object(entries),
    v.check(
      (options) => problem(options) === undefined,
      ({ input }) => problem(input) ?? '',
    ),
  ),
  optionNames: Object.keys(entries),
};

/**
 * `createSegmentInprocGenerator` without a `database`, for a `source` of the caller. Otherwise the same:
 * checks the sequence, and rejects with the same codes.
 */
export function createSegmentInprocGenerator<As extends IdTypeName = 'number'>(
  options: OrderedEdgeSegmentOptions & { readonly as?: As | undefined },
): Promise<OrderedSegmentInprocIdGenerator<IdTypes[As]>>;
export function createSegmentInprocGenerator<As extends IdTypeName = 'number'>(
  options: EdgeSegmentOptions & { readonly as?: As | undefined },
): Promise<SegmentInprocIdGenerator<IdTypes[As]>>;
export async function createSegmentInprocGenerator(
  options: EdgeSegmentOptions | OrderedEdgeSegmentOptions,
): Promise<
  SegmentInprocIdGenerator<IdTypes[IdTypeName]> | OrderedSegmentInprocIdGenerator<IdTypes[IdTypeName]>
> {
  const parsed = parseOptions(edge, options);
  return openGenerator(edge.name, { source: parsed.source, owned: false }, parsed);
}
