import type { Guarantees, IdStrategy } from '@ids/core';
import { defineGuarantees, parseOptions } from '@ids/core/strategy';
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
  toIdOf,
} from '@ids/segment';
import { openSource, type SourceOptions, segmentOptionsSchema } from '@ids/segment/sql';
import * as v from 'valibot';
import { SegmentGenerator, type SegmentIdGenerator } from './generator.js';

/** What a user writes. Exactly one of `database` and `source`. */
export interface SegmentInprocOptions extends SequenceOptions, SourceOptions {
  /**
   * The groups that the sequence must have, so that a wrong day or zone is detected at the start. By default,
   * any groups are accepted.
   */
  readonly group?: SequenceGroup | undefined;
}

const { schema: optionsSchema, names: optionNames } = segmentOptionsSchema({
  group: v.optional(
    v.custom<SequenceGroup>(
      (value) => groupProblem(value) === undefined,
      ({ input }) => groupProblem(input) ?? '',
    ),
  ),
});

/** The options with defaults. */
export type ParsedOptions = v.InferOutput<typeof optionsSchema>;

type AnyGenerator = SegmentIdGenerator<IdTypes[IdTypeName]>;
type Variants = readonly [
  readonly [{ readonly as: 'number' }, SegmentIdGenerator<number>],
  readonly [{ readonly as: 'bigint' }, SegmentIdGenerator<bigint>],
  readonly [{ readonly as: 'string' }, SegmentIdGenerator<string>],
];

/**
 * Numbers from segments that are reserved in a database and held in this process: unique in the cluster,
 * increasing within one generator. This is the strategy, for lists and config files; `createSegmentGenerator`
 * opens a generator without either.
 */
export const segmentInproc: IdStrategy<
  'segment-inproc',
  SegmentInprocOptions,
  ParsedOptions,
  AnyGenerator,
  Variants
> = {
  name: 'segment-inproc',
  options: optionsSchema,
  optionNames,
  guarantees: guaranteesOf,
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
  options: SegmentInprocOptions & { readonly as?: As | undefined },
): Promise<SegmentIdGenerator<IdTypes[As]>>;
export async function createSegmentGenerator(options: SegmentInprocOptions): Promise<AnyGenerator> {
  return open(parseOptions(segmentInproc, options));
}

async function open(options: ParsedOptions): Promise<AnyGenerator> {
  const { name, as, deadlineMs, onEvent } = options;
  const { source, owned } = await openSource(options);
  try {
    const sequence = await describeWithin(source, name, deadlineMs, onEvent);
    const difference = options.group && groupsDiffer(name, sequence.group, options.group);
    if (difference !== undefined) throw difference;
  } catch (error) {
    if (owned) await source.close();
    throw error;
  }
  return new SegmentGenerator<IdTypes[IdTypeName]>({
    strategy: segmentInproc.name,
    source,
    name,
    step: new AdaptiveStep(options),
    toId: toIdOf[as],
    deadlineMs,
    onEvent,
    guarantees: guaranteesOf(options),
    ownedSource: owned ? source : undefined,
  });
}

function guaranteesOf({ as, maxIdsLost }: Pick<ParsedOptions, 'as' | 'maxIdsLost'>): Guarantees {
  return defineGuarantees({
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'none' },
    gaps: 'on-restart',
    sync: true,
    idType: as,
    text: DECIMAL_TEXT,
    backends: ['sql'],
    discloses: ['volume'],
    ...(maxIdsLost !== undefined && { maxIdsLost }),
  });
}
