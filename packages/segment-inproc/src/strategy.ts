import type { Guarantees, IdStrategy } from '@ids/core';
import { defineGuarantees, parseOptions, shownValue } from '@ids/core/strategy';
import {
  AdaptiveStep,
  DECIMAL_TEXT,
  describeWithin,
  groupProblem,
  groupsDiffer,
  type IdTypeName,
  type IdTypes,
  inspectDecimal,
  type SequenceGroup,
  type SequenceOptions,
  type SequenceState,
  toIdOf,
} from '@ids/segment';
import { openSource, type SourceOptions, segmentOptionsSchema, tableOfSequence } from '@ids/segment/sql';
import * as v from 'valibot';
import {
  OrderedSegmentGenerator,
  type OrderedSegmentIdGenerator,
  SegmentGenerator,
  type SegmentIdGenerator,
} from './generator.js';

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
export interface OrderedSegmentOptions extends Omit<SegmentInprocOptions, 'order' | 'minStep'> {
  /**
   * Each burst of calls waits for a reservation of its own, of at most `maxStep` ids, and nothing is held in
   * memory: there is no `nextSync`.
   */
  readonly order: 'real-time';
  /** Has no meaning here: a reservation is as large as the burst. */
  readonly minStep?: undefined;
}

const { schema: optionsSchema, names: optionNames } = segmentOptionsSchema(
  {
    order: v.optional(
      v.custom<'increasing' | 'real-time'>(
        (value) => value === 'increasing' || value === 'real-time',
        ({ input }) => `must be "increasing" or "real-time", got ${shownValue(input)}`,
      ),
      'increasing',
    ),
    group: v.optional(
      v.custom<SequenceGroup>(
        (value) => groupProblem(value) === undefined,
        ({ input }) => groupProblem(input) ?? '',
      ),
    ),
  },
  ({ order }) => order === 'increasing',
);

/** The options with defaults. */
export type ParsedOptions = v.InferOutput<typeof optionsSchema>;

type AnyId = IdTypes[IdTypeName];
type AnyGenerator = SegmentIdGenerator<AnyId> | OrderedSegmentIdGenerator<AnyId>;
type Variants = readonly [
  readonly [{ readonly as: 'number'; readonly order: 'increasing' }, SegmentIdGenerator<number>],
  readonly [{ readonly as: 'bigint'; readonly order: 'real-time' }, OrderedSegmentIdGenerator<bigint>],
  readonly [{ readonly as: 'string'; readonly order: 'real-time' }, OrderedSegmentIdGenerator<string>],
  readonly [{ readonly order: 'real-time' }, OrderedSegmentIdGenerator<number>],
  readonly [{ readonly as: 'bigint' }, SegmentIdGenerator<bigint>],
  readonly [{ readonly as: 'string' }, SegmentIdGenerator<string>],
  readonly [{ readonly as?: 'number' }, SegmentIdGenerator<number>],
];

/**
 * Numbers from segments that are reserved in a database and held in this process: unique in the cluster,
 * increasing within one generator, or across all of them if each burst of calls reserves its own. This is the
 * strategy, for lists and config files; `createSegmentGenerator` opens a generator without either.
 */
export const segmentInproc: IdStrategy<
  'segment-inproc',
  SegmentInprocOptions | OrderedSegmentOptions,
  ParsedOptions,
  AnyGenerator,
  Variants
> = {
  name: 'segment-inproc',
  // The type checker does not see that `order` decides what else is accepted.
  options: optionsSchema as unknown as v.GenericSchema<
    SegmentInprocOptions | OrderedSegmentOptions,
    ParsedOptions
  >,
  optionNames,
  guarantees: guaranteesOf,
  table: tableOfSequence,
  create: open,
  inspect: inspectDecimal,
};

/**
 * Checks the sequence and opens a generator. Rejects with `ERR_IDS_CONFIG` if an option, the table, the
 * sequence or the durability of the server is wrong; with `ERR_IDS_UNAVAILABLE` or `ERR_IDS_TIMEOUT` if the
 * database cannot be reached. The first segment is fetched at the first call or `ready()`. The caller closes
 * its own `source` or pool.
 */
export function createSegmentGenerator<As extends IdTypeName = 'number'>(
  options: OrderedSegmentOptions & { readonly as?: As | undefined },
): Promise<OrderedSegmentIdGenerator<IdTypes[As]>>;
export function createSegmentGenerator<As extends IdTypeName = 'number'>(
  options: SegmentInprocOptions & { readonly as?: As | undefined },
): Promise<SegmentIdGenerator<IdTypes[As]>>;
export async function createSegmentGenerator(
  options: SegmentInprocOptions | OrderedSegmentOptions,
): Promise<AnyGenerator> {
  return open(parseOptions(segmentInproc, options));
}

async function open(options: ParsedOptions): Promise<AnyGenerator> {
  const { name, as, deadlineMs, onEvent } = options;
  const { source, owned } = await openSource(options);
  let sequence: SequenceState;
  try {
    sequence = await describeWithin(source, name, deadlineMs, onEvent);
    const difference = options.group && groupsDiffer(name, sequence.group, options.group);
    if (difference !== undefined) throw difference;
  } catch (error) {
    if (owned) await source.close();
    throw error;
  }
  const shared = {
    strategy: segmentInproc.name,
    source,
    name,
    origin: sequence,
    toId: toIdOf[as],
    deadlineMs,
    onEvent,
    guarantees: guaranteesOf(options),
    ownedSource: owned ? source : undefined,
  };
  const { maxStep: maxBurst, maxIdsLost } = options;
  return options.order === 'real-time'
    ? new OrderedSegmentGenerator<AnyId>({ ...shared, maxBurst, maxIdsLost })
    : new SegmentGenerator<AnyId>({ ...shared, step: new AdaptiveStep(options) });
}

function guaranteesOf({
  as,
  order,
  maxIdsLost,
}: Pick<ParsedOptions, 'as' | 'order' | 'maxIdsLost'>): Guarantees {
  const ordered = order === 'real-time';
  return defineGuarantees({
    unique: 'cluster',
    order: { process: 'increasing', cluster: ordered ? 'real-time' : 'none' },
    gaps: ordered ? 'on-fault' : 'on-restart',
    sync: !ordered,
    idType: as,
    text: DECIMAL_TEXT,
    backends: ['sql'],
    discloses: ['volume'],
    ...(maxIdsLost !== undefined && { maxIdsLost }),
  });
}
